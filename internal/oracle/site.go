package oracle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
)

// Site is a control plane: a zone or a global one.
type Site struct {
	Endpoint string // URL of its API, without TLS; requests from this host have administrator rights
	Client   *controlplane.Client
	Info     controlplane.Info

	process // started by Start
}

// Connect returns a control plane that is already running.
func Connect(ctx context.Context, endpoint string) (*Site, error) {
	s := &Site{Endpoint: endpoint}
	return s, s.connect(ctx)
}

func (s *Site) connect(ctx context.Context) (err error) {
	if s.Client, err = controlplane.New(controlplane.Config{Endpoint: s.Endpoint, UserAgent: "oracle"}); err == nil {
		s.Info, err = s.Client.Discover(ctx)
	}
	return err
}

// Put stores a resource. rejection is the reason why the control plane rejects it, and
// empty if it accepts it.
func (s *Site) Put(ctx context.Context, r kuma.Resource) (rejection string, err error) {
	k, _ := kinds.Find(r.Type)
	_, _, err = s.Client.Put(ctx, k, r)
	if _, conflict := errors.AsType[*controlplane.ConflictError](err); conflict { // a MeshService that the control plane generates meanwhile
		_, _, err = s.Client.Put(ctx, k, r)
	}
	var invalid *controlplane.InvalidError
	var notAllowed *controlplane.NotAllowedError
	var unknown *controlplane.UnknownKindError
	switch {
	case errors.As(err, &invalid):
		return fmt.Sprintf("%s %v", invalid.Detail, invalid.Violations), nil
	case errors.As(err, &notAllowed), errors.As(err, &unknown):
		return err.Error(), nil
	default:
		return "", err
	}
}

// Kinds returns the kinds that worlds consist of, in their order in a recording: meshes
// first, Dataplanes last, policies after what they refer to.
var Kinds = sync.OnceValue(func() []def.Kind {
	names := []string{
		kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService, kuma.KindMeshExternalService,
		"MeshOpenTelemetryBackend", kuma.KindMeshGateway, kuma.KindMeshHTTPRoute, "MeshTCPRoute",
	}
	for _, k := range proxy.Kinds() {
		if _, older := kinds.FindOlder(k.Name); !older && k.Name != kuma.KindDataplane && !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	var list []def.Kind
	for _, name := range append(names, kuma.KindDataplane) {
		k, _ := kinds.Find(name)
		list = append(list, k)
	}
	return list
})

// Stored reads the resources of a mesh, or of all meshes when its name is empty, that
// affect the rules of Dataplanes. They are ordered by [Kinds] and name.
func (s *Site) Stored(ctx context.Context, mesh string) ([]kuma.Resource, error) {
	var all []kuma.Resource
	for _, k := range Kinds() {
		if k.Name == kuma.KindMesh && mesh != "" {
			r, err := s.Client.Get(ctx, k, "", mesh)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
			continue
		}
		list, err := s.Client.List(ctx, k, mesh)
		var unknown *controlplane.UnknownKindError
		if err != nil && !errors.As(err, &unknown) {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// Fingerprint returns a string that changes with the documents of resources.
func Fingerprint(resources []kuma.Resource) string {
	return phrase.JSON(phrase.Each(resources, kuma.Resource.Document))
}

// Remove deletes a mesh and its resources. Dataplanes and resources outside of the mesh
// are not deleted with it. Resources that remain after an error do not matter, because
// every world has its own names.
func (s *Site) Remove(ctx context.Context, mesh string, world []kuma.Resource) {
	for _, r := range world {
		k, _ := kinds.Find(r.Type)
		if k.Name == kuma.KindDataplane || k.Scope == def.Global && k.Name != kuma.KindMesh {
			_ = s.Client.Delete(ctx, k, r.Mesh, r.Name)
		}
	}
	if !s.Info.Federated {
		_ = s.Client.Delete(ctx, kinds.Mesh, "", mesh)
	}
}
