package kinds

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// serviceGenerator is the value of the label kuma.io/managed-by of generated MeshServices.
const serviceGenerator = "meshservice-generator"

// generatedServicesSince is the release since which generated MeshServices have the label
// of their zone, and names that are DNS labels (rest-api.md §10).
const generatedServicesSince = "2.10"

var olderServiceName = regexp.MustCompile(`^[0-9a-z._-]{1,63}$`)

// GeneratesServices reports whether a control plane generates MeshServices for the
// Dataplanes of a mesh.
func GeneratesServices(mesh kuma.Resource) bool {
	mode, _ := tree.Root(mesh.Body).Get("meshServices", "mode").Text()
	return mode != "" && mode != "Disabled"
}

// IsGeneratedService reports whether a control plane generated a MeshService, and
// maintains it.
func IsGeneratedService(r kuma.Resource) bool {
	return r.Type == MeshService.Name && r.Labels[kuma.LabelManagedBy] == serviceGenerator
}

// GeneratedServices returns the MeshServices that a control plane of a zone generates for
// the Dataplanes of a mesh, one for each value of the tag kuma.io/service. It stores them
// unless there is another MeshService with the name (rest-api.md §10).
func GeneratedServices(mesh kuma.Resource, dataplanes []kuma.Resource, cp kuma.ControlPlane) []kuma.Resource {
	if cp.Mode == kuma.ModeGlobal || cp.Embedded || !GeneratesServices(mesh) {
		return nil
	}
	ordered := slices.DeleteFunc(slices.Clone(dataplanes), func(dataplane kuma.Resource) bool {
		return dataplane.Mesh != mesh.Name || dataplane.Zone() != "" && dataplane.Zone() != cp.Zone
	})
	slices.SortFunc(ordered, func(a, b kuma.Resource) int { return cmp.Or(compareCreation(a, b), cmp.Compare(a.Name, b.Name)) })
	seen := map[string]bool{}
	var out []kuma.Resource
	for _, dataplane := range ordered {
		inbounds := tree.Root(dataplane.Body).Get("networking", "inbound").Items()
		for _, inbound := range inbounds {
			name, _ := inbound.Get("tags", kuma.TagService).Text()
			if !seen[name] && isServiceName(name, cp.Release) {
				out = append(out, generatedService(mesh.Name, name, inbounds, cp))
			}
			seen[name] = true
		}
	}
	return out
}

// compareCreation orders resources by creation; those that are not stored yet are last.
func compareCreation(a, b kuma.Resource) int {
	if a.CreationTime.IsZero() || b.CreationTime.IsZero() {
		return b.CreationTime.Compare(a.CreationTime)
	}
	return a.CreationTime.Compare(b.CreationTime)
}

func isServiceName(name string, r kuma.Release) bool {
	if !r.Has(generatedServicesSince) {
		return olderServiceName.MatchString(name)
	}
	return kuma.IsDNSLabel(name)
}

// generatedService returns the MeshService for the inbounds of a Dataplane with a tag.
func generatedService(mesh, name string, inbounds []tree.Node, cp kuma.ControlPlane) kuma.Resource {
	var ports []any
	for _, inbound := range inbounds {
		tags := inbound.Get("tags")
		if service, _ := tags.Get(kuma.TagService).Text(); service != name {
			continue
		}
		number, _ := inbound.Get("port").Value().(json.Number)
		section, _ := inbound.Get("name").Text()
		protocol, _ := inbound.Get("protocol").Text()
		tag, _ := tags.Get(kuma.TagProtocol).Text()
		ports = append(ports, map[string]any{
			"name": cmp.Or(section, number.String()), "port": number, "targetPort": number, "appProtocol": cmp.Or(protocol, tag, "tcp"),
		})
	}
	r := MeshService.Store(kuma.Resource{
		Type: MeshService.Name, Mesh: mesh, Name: name,
		Labels: map[string]string{kuma.LabelDisplayName: name, kuma.LabelManagedBy: serviceGenerator},
		Body: map[string]any{"spec": map[string]any{
			"selector": map[string]any{"dataplaneTags": map[string]any{kuma.TagService: name}}, "ports": ports,
		}},
	}, def.StoreContext{ControlPlane: cp, Create: true})
	if !cp.Release.Has(generatedServicesSince) {
		delete(r.Labels, kuma.LabelZone)
	}
	return r
}
