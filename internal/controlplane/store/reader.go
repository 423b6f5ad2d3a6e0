package store

import (
	"context"
	"iter"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// reader reads resources, and hides differences between the responses of older
// releases and the latest.
type reader struct {
	client  *controlplane.Client
	release kuma.Release
}

// get is [controlplane.Client.Get].
func (r reader) get(ctx context.Context, k def.Kind, key kuma.Key) (kuma.Resource, error) {
	res, err := r.client.Get(ctx, k, key.Mesh, key.Name)
	k.AsLatest(res, r.release)
	return res, err
}

// list is [controlplane.Client.List].
func (r reader) list(ctx context.Context, k def.Kind, meshName string) ([]kuma.Resource, error) {
	resources, err := r.client.List(ctx, k, meshName)
	for _, res := range resources {
		k.AsLatest(res, r.release)
	}
	return resources, err
}

// all is [controlplane.Client.All].
func (r reader) all(ctx context.Context, k def.Kind, meshName string) iter.Seq2[kuma.Resource, error] {
	return func(yield func(kuma.Resource, error) bool) {
		for res, err := range r.client.All(ctx, k, meshName) {
			k.AsLatest(res, r.release)
			if !yield(res, err) {
				return
			}
		}
	}
}
