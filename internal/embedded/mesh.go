package embedded

import (
	"errors"
	"path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// The contract treats two kinds in a way of their own: nothing can be read or
// written in a mesh that does not exist, a new mesh comes with policies, it
// takes what is inside with it when it is deleted, and it cannot be deleted
// while it has proxies (spec/rest-api.md §13).

// loadMesh reads a mesh by name.
func (s *Server) loadMesh(name string) (mesh.Resource, error) {
	m, err := s.load(kinds.Mesh, mesh.Resource{}, name)
	if errors.Is(err, errNotFound) {
		return mesh.Resource{}, errMeshNotFound
	}
	return m, err
}

// meshOrLeftOver is [Server.loadMesh] for a list over all meshes, which shows
// the resources of a missing mesh too.
func (s *Server) meshOrLeftOver(name string) (mesh.Resource, error) {
	m, err := s.loadMesh(name)
	if errors.Is(err, errMeshNotFound) {
		return mesh.Resource{Type: kinds.Mesh.Name, Name: name}, nil
	}
	return m, err
}

// furnish stores the policies that come with a new mesh.
func (s *Server) furnish(m mesh.Resource) error {
	for _, r := range kinds.Initial(m) {
		k, _ := kinds.Find(r.Type)
		i := item{Server: s, kind: k, mesh: m.Name, name: r.Name}
		stored := k.Store(r, spec.Circumstances{ControlPlane: s.controlPlane, Mesh: m, Create: true})
		if err := i.write(stored, mesh.Resource{}); err != nil {
			return err
		}
	}
	return nil
}

// empty prepares the deletion of a mesh: it deletes all that is inside, or
// refuses.
func (s *Server) empty(name string) error {
	proxies, err := s.files.names(path.Join(kinds.Dataplane.Path, name))
	if err != nil {
		return err
	}
	if len(proxies) > 0 {
		return invalid("", violation{Field: "mesh", Reason: "the mesh still has dataplanes: delete them first"})
	}
	for _, k := range s.kinds {
		if k.Scope != spec.InMesh {
			continue
		}
		if err := s.files.remove(path.Join(k.Path, name)); err != nil {
			return err
		}
	}
	return nil
}
