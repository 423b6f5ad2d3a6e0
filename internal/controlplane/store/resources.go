package store

import (
	"context"
	"errors"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Resources are the resources of one kind on one control plane.
type Resources struct {
	store *Store
	kind  def.Kind
	whole bool
}

// Whole returns the same resources for a caller who writes whole documents: such a
// document says everything about objects that hold whatever is sent, and what it
// leaves out of them goes.
func (r Resources) Whole() Resources {
	r.whole = true
	return r
}

// Get returns what is stored, as it was when it was first asked for. Where there
// is nothing it is a [controlplane.NotFoundError]. The resource must not be
// modified.
func (r Resources) Get(ctx context.Context, key kuma.Key) (kuma.Resource, error) {
	return r.store.lists.get(ctx, r.store.reader, r.kind, key)
}

// Refresh is [Resources.Get] for a resource that was there. Lists that are read
// while others delete may skip some, so what is missing in one is asked for.
func (r Resources) Refresh(ctx context.Context, key kuma.Key) (kuma.Resource, error) {
	stored, err := r.Get(ctx, key)
	if IsNotFound(err) {
		return r.Current(ctx, key)
	}
	return stored, err
}

// Current returns what is stored now, which decides about writes.
func (r Resources) Current(ctx context.Context, key kuma.Key) (kuma.Resource, error) {
	return r.store.reader.get(ctx, r.kind, key)
}

// IsNotFound reports whether an error says that there is no such resource.
func IsNotFound(err error) bool {
	var notFound *controlplane.NotFoundError
	return errors.As(err, &notFound)
}
