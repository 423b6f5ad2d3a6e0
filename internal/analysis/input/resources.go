package input

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// asStored returns documents as a control plane stores them, the last one for
// each key. Resources with an origin label are already stored elsewhere. A mesh without
// a document has MeshServices in the mode Exclusive if that matters: in other modes,
// control planes reject inbounds without tags (validation.md, Dataplane).
func asStored(documents []document.Document, cp kuma.ControlPlane) []kuma.Resource {
	meshes := map[string]kuma.Resource{}
	for _, d := range documents {
		if d.Resource.Type == kuma.KindMesh {
			meshes[d.Resource.Name] = d.Resource
		}
	}
	var out []kuma.Resource
	at := map[kuma.Key]int{}
	for _, d := range documents {
		r := d.Stored()
		if d.Described && r.Labels[kuma.LabelOrigin] == "" {
			mesh, ok := meshes[r.Mesh]
			if !ok {
				mesh = exclusiveMesh
			}
			r = d.Kind.Store(d.Resource, def.StoreContext{ControlPlane: cp, Mesh: mesh})
			if !cp.Release.Has(kuma.CompletesSince) && cp.Release != (kuma.Release{}) {
				r.Body = d.Resource.Body
			}
		}
		i, ok := at[r.Key()]
		if !ok {
			i = len(out)
			at[r.Key()] = i
			out = append(out, r)
		}
		out[i] = r
	}
	return withGenerators(out)
}

// withGenerators adds the HostnameGenerators with which control planes start, other than the embedded one, if there are none.
func withGenerators(resources []kuma.Resource) []kuma.Resource {
	if slices.ContainsFunc(resources, func(r kuma.Resource) bool { return r.Type == kinds.HostnameGenerator.Name }) {
		return resources
	}
	return slices.Concat(resources, kinds.InitialGenerators())
}

var exclusiveMesh = kuma.Resource{Type: kuma.KindMesh, Body: map[string]any{"meshServices": map[string]any{"mode": "Exclusive"}}}

// withWritten adds resources that are written, and the policies of a new mesh.
func withWritten(stored, planned []kuma.Resource, cp kuma.ControlPlane) []kuma.Resource {
	at := make(map[kuma.Key]int, len(stored))
	for i, r := range stored {
		at[r.Key()] = i
	}
	meshes := map[string]kuma.Resource{}
	var initial []kuma.Resource
	for _, r := range slices.Concat(stored, planned) {
		if r.Type == kuma.KindMesh {
			meshes[r.Name] = r
		}
	}
	for _, r := range planned {
		if _, exists := at[r.Key()]; r.Type == kuma.KindMesh && !exists {
			initial = append(initial, kinds.Initial(r, cp.Release)...)
		}
	}
	out := slices.Clone(stored)
	for n, r := range slices.Concat(initial, planned) { // planned resources replace initial ones
		k, described := kinds.Find(r.Type)
		i, exists := at[r.Key()]
		if !exists {
			i = len(out)
			at[r.Key()] = i
			out = append(out, kuma.Resource{})
		}
		r.CreationTime = out[i].CreationTime // it decides between gateways
		r.Reported = out[i].Reported
		if described {
			r = r.Clone()
			k.KeepServerOwned(&r, out[i])
			r = k.Store(r, def.StoreContext{ControlPlane: cp, Mesh: meshes[r.Mesh], Create: !exists})
		}
		if r.Type == kinds.MeshIdentity.Name && !tree.Equal(r.Spec()["provider"], out[i].Spec()["provider"]) {
			r.Reported = nil // it is about the earlier authority
		}
		if n < len(initial) && !cp.Release.Has(kinds.InitialLabelsSince) {
			r.Labels = nil
		}
		out[i] = r
	}
	return out
}

// settled returns what a control plane stores a few seconds later, when it has generated all
// MeshServices.
func settled(stored []kuma.Resource, cp kuma.ControlPlane) []kuma.Resource {
	return withGenerated(nil, slices.Clone(stored), cp, cp)
}

// withGenerated returns resources with the MeshServices that a control plane generates
// because of the difference from the stored ones, or because it was upgraded, and without
// those that it deletes. It does not change MeshServices that it has not generated.
func withGenerated(stored, written []kuma.Resource, cpBefore, cp kuma.ControlPlane) []kuma.Resource {
	before, _ := generatedServices(stored, cpBefore)
	after, meshes := generatedServices(written, cp)
	deleted := func(r kuma.Resource) bool {
		if !kinds.IsGeneratedService(r) || r.Zone() != "" && r.Zone() != cp.Zone {
			return false
		}
		_, generatedBefore := before[r.Key()]
		_, generated := after[r.Key()]
		generates, known := meshes[r.Mesh]
		return known && !generates || cp.Release != cpBefore.Release && generatedBefore && !generated
	}
	out := slices.DeleteFunc(written, deleted)
	at := make(map[kuma.Key]int, len(out))
	for i, r := range out {
		at[r.Key()] = i
	}
	for _, key := range slices.SortedFunc(maps.Keys(after), kuma.CompareKeys) {
		i, exists := at[key]
		switch {
		case !exists:
			out = append(out, after[key])
		case kinds.IsGeneratedService(out[i]) && !sameService(out[i], after[key]):
			out[i].Labels, out[i].Body = after[key].Labels, after[key].Body
		}
	}
	return out
}

// sameService reports whether two MeshServices have the same proxies and ports.
func sameService(a, b kuma.Resource) bool {
	return tree.Equal(a.Spec()["selector"], b.Spec()["selector"]) && tree.Equal(a.Spec()["ports"], b.Spec()["ports"])
}

// generatedServices returns what a control plane generates for the Dataplanes among the
// resources, and the meshes in which it does so.
func generatedServices(resources []kuma.Resource, cp kuma.ControlPlane) (services map[kuma.Key]kuma.Resource, meshes map[string]bool) {
	dataplanes := map[string][]kuma.Resource{}
	for _, r := range resources {
		if r.Type == kuma.KindDataplane {
			dataplanes[r.Mesh] = append(dataplanes[r.Mesh], r)
		}
	}
	services, meshes = map[kuma.Key]kuma.Resource{}, map[string]bool{}
	generate := func(mesh kuma.Resource) {
		for _, service := range kinds.GeneratedServices(mesh, dataplanes[mesh.Name], cp) {
			services[service.Key()] = service
		}
		delete(dataplanes, mesh.Name)
	}
	for _, r := range resources {
		if r.Type == kuma.KindMesh {
			meshes[r.Name] = kinds.GeneratesServices(r, cp.Release)
			generate(r)
		}
	}
	for name := range dataplanes { // of meshes without a document, which have the default settings
		generate(kuma.Resource{Type: kuma.KindMesh, Name: name})
	}
	return services, meshes
}

// withDefaultMesh adds a mesh with default settings if the mesh is missing, unless there are
// resources of other meshes only: then the name is wrong.
func withDefaultMesh(resources []kuma.Resource, name string) []kuma.Resource {
	others := false
	for _, r := range resources {
		key := r.Key()
		if key == kuma.MeshKey(name) {
			return resources
		}
		others = others || key.Type == kuma.KindMesh || key.Mesh != ""
	}
	if others && !slices.ContainsFunc(resources, func(r kuma.Resource) bool { return r.Mesh == name }) {
		return resources
	}
	return append(slices.Clip(resources), kuma.Resource{Type: kuma.KindMesh, Name: name, Body: map[string]any{}})
}
