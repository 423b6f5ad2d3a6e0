package provider

import (
	"context"
	"errors"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// storedMeshes remembers what a control plane stores, per mesh, so that many
// data sources that look at a whole mesh cost one reading of it. A write by the
// provider makes it forget.
type storedMeshes struct {
	mu     sync.Mutex
	meshes map[string][]mesh.Resource
}

func (s *storedMeshes) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meshes = nil
}

// load returns the mesh and all resources in it that take part in matching;
// none when the mesh does not exist. The resources must not be modified.
func (s *storedMeshes) load(ctx context.Context, client *controlplane.Client, meshName string) ([]mesh.Resource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if resources, ok := s.meshes[meshName]; ok {
		return resources, nil
	}
	var resources []mesh.Resource
	for _, k := range rules.Kinds() {
		part, err := list(ctx, client, k, meshName)
		var unknownKind *controlplane.UnknownKindError
		var notFound *controlplane.NotFoundError
		if err != nil && !errors.As(err, &unknownKind) && !errors.As(err, &notFound) {
			return nil, err
		}
		resources = append(resources, part...)
	}
	if s.meshes == nil {
		s.meshes = map[string][]mesh.Resource{}
	}
	s.meshes[meshName] = resources
	return resources, nil
}

// list returns the resources of a kind that belong to a mesh: those in it, or
// the mesh itself.
func list(ctx context.Context, client *controlplane.Client, k spec.Kind, meshName string) ([]mesh.Resource, error) {
	if k.Scope == spec.InMesh {
		return client.List(ctx, k, meshName)
	}
	r, err := client.Get(ctx, k, "", meshName)
	if err != nil {
		return nil, err
	}
	return []mesh.Resource{r}, nil
}
