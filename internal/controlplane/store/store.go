package store

import (
	"context"
	"iter"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Store holds the resources of one control plane. It is safe for concurrent
// use.
type Store struct {
	Capabilities
	client  *controlplane.Client
	reader  reader
	options Options
	lists   listCache
}

// Options configure how a [Store] writes.
type Options struct {
	// Overwrite writes a resource even if another client has changed it.
	Overwrite bool
	// Log receives what happened to a resource beyond the results; nil disables
	// logging.
	Log func(ctx context.Context, key kuma.Key, message string)
}

// Open returns the resources of a control plane, after it has asked the control
// plane for its capabilities. The error is one of package controlplane.
func Open(ctx context.Context, client *controlplane.Client, options Options) (*Store, error) {
	can, err := discover(ctx, client)
	if err != nil {
		return nil, err
	}
	return &Store{Capabilities: can, client: client, reader: reader{client, can.ControlPlane.Release}, options: options}, nil
}

// Client returns the client of the control plane, for requests that are not about
// resources.
func (s *Store) Client() *controlplane.Client { return s.client }

// List reads the resources of a kind in one mesh, or in all when meshName is
// empty; see [controlplane.Client.List].
func (s *Store) List(ctx context.Context, k def.Kind, meshName string) ([]kuma.Resource, error) {
	return s.reader.list(ctx, s.served(k), meshName)
}

// All is [Store.List] page by page; see [controlplane.Client.All].
func (s *Store) All(ctx context.Context, k def.Kind, meshName string) iter.Seq2[kuma.Resource, error] {
	return s.reader.all(ctx, s.served(k), meshName)
}

// Overviews reads the overviews of the proxies of a kind; see [controlplane.Client.Overviews].
func (s *Store) Overviews(ctx context.Context, k def.Kind, meshName string) iter.Seq2[controlplane.Overview, error] {
	return s.client.Overviews(ctx, s.served(k), meshName)
}

// Resources returns the resources of a kind.
func (s *Store) Resources(k def.Kind) Resources { return Resources{store: s, kind: s.served(k)} }

func (s *Store) log(ctx context.Context, key kuma.Key, message string) {
	if s.options.Log != nil {
		s.options.Log(ctx, key, message)
	}
}
