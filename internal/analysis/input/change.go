package input

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Written returns a mesh as a control plane stores it, before and after it writes and deletes
// resources. The requested release, unless it is zero or that of the control plane, reads the mesh after
// the change.
func Written(name string, cp kuma.ControlPlane, requested kuma.Release, stored, written []kuma.Resource,
	deleted map[kuma.Key]bool,
) (before, after Mesh) {
	after = Stored(name, cp, nil, stored, written)
	after.Resources = without(after.Resources, deleted)
	if requested != (kuma.Release{}) && !requested.IsMinorOf(cp.Release) {
		after.Release = requested
	}
	return after.BeforeChange(), after
}

// without returns the resources that are not deleted, nor belong to a deleted mesh.
func without(resources []kuma.Resource, deleted map[kuma.Key]bool) (out []kuma.Resource) {
	for _, r := range resources {
		if !deleted[r.Key()] && !deleted[kuma.MeshKey(r.Mesh)] {
			out = append(out, r)
		}
	}
	return out
}

// Stored returns the documents as their control plane stores them, which their labels, or else
// the argument, identify. The requested release stores them if it has all of their fields. A mesh
// without a document, which is not written either, has the default settings.
func (d *Documents) Stored(name string, cp kuma.ControlPlane, requested kuma.Release, written []kuma.Resource) (kuma.ControlPlane,
	[]kuma.Resource,
) {
	if d.from.known {
		cp = d.from.controlPlane()
	}
	cp.Release = storedBy(requested, d)
	var documents []document.Document
	for _, g := range d.given {
		documents = append(documents, g.Document)
	}
	stored := asStored(documents, cp)
	if !slices.ContainsFunc(written, func(r kuma.Resource) bool { return r.Key() == kuma.MeshKey(name) }) {
		stored = withDefaultMesh(stored, name)
	}
	return cp, stored
}
