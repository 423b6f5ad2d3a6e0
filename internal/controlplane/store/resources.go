package store

import (
	"context"
	"errors"
	"iter"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Resources are the resources of one kind on one control plane.
type Resources struct {
	store    *Store
	kind     def.Kind
	whole    bool
	compared bool
}

// Whole returns the same resources for a caller that writes whole documents: what
// such a document omits from a free-form object is removed.
func (r Resources) Whole() Resources {
	r.whole = true
	return r
}

// Compared returns the same resources for a caller that computes what it writes from what it
// has read: a write never replaces another version, whatever [Options.Overwrite] says.
func (r Resources) Compared() Resources {
	r.compared = true
	return r
}

// overwrites reports whether a write may replace a version that the caller has not read.
func (r Resources) overwrites() bool { return r.store.options.Overwrite && !r.compared }

// Get returns a stored resource, possibly from the cache. A missing resource is a
// [controlplane.NotFoundError]; an upgrade that removed a kind removed all of its
// resources. The result must not be modified.
func (r Resources) Get(ctx context.Context, key kuma.Key) (kuma.Resource, error) {
	stored, err := r.store.lists.get(ctx, r.store.reader, r.kind, key)
	return stored, r.asNotFound(err)
}

// Refresh is [Resources.Get] for a resource that existed. A list that is read while
// other clients delete may skip some resources, so one that is missing in a list is
// read again.
func (r Resources) Refresh(ctx context.Context, key kuma.Key) (kuma.Resource, error) {
	stored, err := r.Get(ctx, key)
	if IsNotFound(err) {
		return r.Current(ctx, key)
	}
	return stored, err
}

// Current returns what is stored now, not from the cache. Writes depend on it.
func (r Resources) Current(ctx context.Context, key kuma.Key) (kuma.Resource, error) {
	stored, err := r.store.reader.get(ctx, r.kind, key)
	return stored, r.asNotFound(err)
}

// asNotFound returns a [controlplane.NotFoundError] instead of an error that says that the
// control plane does not have the kind any more.
func (r Resources) asNotFound(err error) error {
	if _, unknown := errors.AsType[*controlplane.UnknownKindError](err); unknown && r.kind.Removed.AppliesTo(r.store.ControlPlane.Release) {
		return &controlplane.NotFoundError{}
	}
	return err
}

// IsNotFound reports whether an error says that a resource does not exist.
func IsNotFound(err error) bool {
	_, notFound := errors.AsType[*controlplane.NotFoundError](err)
	return notFound
}

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
