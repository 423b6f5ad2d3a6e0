package embedded

import (
	"errors"
	"fmt"
	"path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// The contract has rules for meshes: resources in a mesh that does not exist cannot be
// read or written, a new mesh has initial policies, deleting a mesh deletes its
// resources except secrets, a mesh with proxies cannot be deleted, and the secrets of
// its certificate authority must exist (rest-api.md §13, §14).

// loadMesh reads a mesh by name.
func (s *Server) loadMesh(name string) (kuma.Resource, error) {
	m, err := s.load(kinds.Mesh, kuma.Resource{}, name)
	if errors.Is(err, errNotFound) {
		return kuma.Resource{}, errMeshNotFound
	}
	return m, err
}

// meshOrLeftOver is [Server.loadMesh] for a list over all meshes, which includes the
// resources of a missing mesh.
func (s *Server) meshOrLeftOver(name string) (kuma.Resource, error) {
	m, err := s.loadMesh(name)
	if errors.Is(err, errMeshNotFound) {
		return kuma.Resource{Type: kinds.Mesh.Name, Name: name}, nil
	}
	return m, err
}

// storeInitial stores the initial policies of a new mesh.
func (s *Server) storeInitial(m kuma.Resource) error {
	for _, r := range kinds.Initial(m, s.controlPlane.Release) {
		k, _ := kinds.Find(r.Type)
		i := item{Server: s, kind: k, mesh: m.Name, name: r.Name}
		stored := k.Store(r, def.StoreContext{ControlPlane: s.controlPlane, Mesh: m, Create: true})
		if err := i.write(stored, kuma.Resource{}); err != nil {
			return err
		}
	}
	return nil
}

// emptyMesh prepares the deletion of a mesh: it deletes its resources, or rejects the
// deletion.
func (s *Server) emptyMesh(name string) error {
	proxies, err := s.files.names(path.Join(kinds.Dataplane.Path, name))
	if err != nil {
		return err
	}
	if len(proxies) > 0 {
		return invalid("", violation{Field: "mesh", Reason: "unable to delete mesh, there are still some dataplanes attached"})
	}
	for _, k := range s.kinds {
		if k.Scope != def.InMesh || k.Name == kinds.Secret.Name {
			continue
		}
		if err := s.files.remove(path.Join(k.Path, name)); err != nil {
			return err
		}
	}
	return nil
}

// authoritySecrets returns the references to secrets with the certificate and the key
// of the authority of a mesh.
func authoritySecrets(m kuma.Resource) []tree.Node {
	var refs []tree.Node
	for _, backend := range tree.Root(m.Document()).Get("mtls", "backends").Items() {
		for _, part := range []string{"cert", "key"} {
			if ref := backend.Get("conf", part, "secret"); ref.Filled() {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// missingSecrets reports the references of a mesh to secrets that do not exist. A mesh
// without validation may refer to any secret.
func (s *Server) missingSecrets(m kuma.Resource) ([]violation, error) {
	if tree.Root(m.Document()).Get("mtls", "skipValidation").True() {
		return nil, nil
	}
	var missing []violation
	for _, ref := range authoritySecrets(m) {
		name, _ := ref.Text()
		_, err := s.load(kinds.Secret, m, name)
		switch {
		case errors.Is(err, errNotFound):
			missing = append(missing, violation{
				Field:  ref.Path[:len(ref.Path)-1].String(),
				Reason: fmt.Sprintf("could not load data: resource not found: type=%q name=%q mesh=%q", kinds.Secret.Name, name, m.Name),
			})
		case err != nil:
			return nil, err
		}
	}
	return missing, nil
}

// inUse rejects the deletion of a secret that the authority of its mesh uses.
func inUse(m kuma.Resource, secret string) error {
	for _, ref := range authoritySecrets(m) {
		if name, _ := ref.Text(); name == secret {
			return invalid("", violation{Field: "name", Reason: fmt.Sprintf("the mesh uses the secret (%s): change the mesh first", ref.Path)})
		}
	}
	return nil
}
