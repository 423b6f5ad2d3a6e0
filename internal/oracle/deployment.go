package oracle

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Deployment are control planes that work together: one, or a global one, which comes
// first, with its zones.
type Deployment struct{ Sites []*Site }

// synchronized limits the wait for the first mesh in a new zone, which takes seconds.
const synchronized = time.Minute

// Deploy starts a global control plane with zones; without zones, one of the zone zone-1.
// If a control plane does not start, or a zone gets nothing from the global one, all start again: on a busy machine, the
// synchronization of a zone sometimes never begins.
// Stop the deployment.
func Deploy(ctx context.Context, binary string, zones []string) (*Deployment, error) {
	return repeated(ctx, func() (*Deployment, error) { return deploy(ctx, binary, zones) })
}

func deploy(ctx context.Context, binary string, zones []string) (d *Deployment, err error) {
	d = &Deployment{}
	first := Options{Binary: binary}
	if len(zones) > 0 {
		first.Mode = kuma.ModeGlobal
	}
	err = d.start(ctx, first)
	for _, zone := range zones {
		if err == nil {
			err = d.start(ctx, Options{Binary: binary, Zone: zone, Global: d.Sites[0]})
		}
	}
	if err == nil && len(zones) > 0 {
		err = d.awaitMesh(ctx, synchronized, "default") // which a global control plane creates
	}
	if err != nil {
		return nil, errors.Join(err, d.Stop())
	}
	return d, nil
}

func (d *Deployment) start(ctx context.Context, o Options) error {
	s, err := start(ctx, o)
	if err == nil {
		d.Sites = append(d.Sites, s)
	}
	return err
}

// Stop stops the control planes, zones first.
func (d *Deployment) Stop() error {
	var errs []error
	for _, s := range slices.Backward(d.Sites) {
		errs = append(errs, s.Stop())
	}
	return errors.Join(errs...)
}

// Zone returns the control plane of a zone, or else the first one.
func (d *Deployment) Zone(name string) *Site {
	for _, s := range d.Sites[1:] {
		if s.Info.Zone == name {
			return s
		}
	}
	return d.Sites[0]
}

// Write is a resource for the control plane that owns it.
type Write struct {
	Owner    *Site
	Resource kuma.Resource
}

// Writes returns the resources with their owners.
func (d *Deployment) Writes(resources []kuma.Resource) []Write {
	return phrase.Each(resources, func(r kuma.Resource) Write { return Write{d.Zone(r.Zone()), r} })
}

// SentTo returns the resources that a control plane owns.
func (d *Deployment) SentTo(s *Site, resources []kuma.Resource) []kuma.Resource {
	return slices.DeleteFunc(slices.Clone(resources), func(r kuma.Resource) bool { return d.Zone(r.Zone()) != s })
}

// Rejection is a resource that a control plane rejects.
type Rejection struct {
	Resource kuma.Resource
	Reason   string
}

// Store writes resources, several meshes at a time, and the resources of each in the given
// order, which begins with the mesh. Those of a mesh that is rejected are not written.
func (d *Deployment) Store(ctx context.Context, writes []Write) (rejected []Rejection, err error) {
	byMesh := map[string][]Write{}
	for _, w := range writes {
		mesh := w.Resource.Mesh
		if w.Resource.Type == kuma.KindMesh {
			mesh = w.Resource.Name
		}
		byMesh[mesh] = append(byMesh[mesh], w)
	}
	var mu sync.Mutex
	err = Each(ctx, Requests, slices.Collect(maps.Values(byMesh)), func(ctx context.Context, writes []Write) error {
		refused, err := d.storeMesh(ctx, writes)
		mu.Lock()
		defer mu.Unlock()
		rejected = append(rejected, refused...)
		return err
	})
	return rejected, err
}

func (d *Deployment) storeMesh(ctx context.Context, writes []Write) (rejected []Rejection, err error) {
	for _, w := range writes {
		reason, err := w.Owner.Put(ctx, w.Resource)
		switch {
		case err != nil:
			return nil, err
		case reason != "":
			rejected = append(rejected, Rejection{w.Resource, reason})
		}
		if w.Resource.Type != kuma.KindMesh {
			continue
		}
		if reason != "" {
			return rejected, nil
		}
		if err := d.AwaitMesh(ctx, w.Resource.Name); err != nil {
			return nil, err
		}
	}
	return rejected, nil
}

// AwaitMesh returns when all control planes have a mesh, and the key of its tokens, which a zone gets later.
func (d *Deployment) AwaitMesh(ctx context.Context, mesh string) error {
	return d.awaitMesh(ctx, patience, mesh)
}

func (d *Deployment) awaitMesh(ctx context.Context, limit time.Duration, mesh string) error {
	for _, s := range d.Sites {
		err := Until(ctx, limit, 100*time.Millisecond, "mesh "+mesh, func(ctx context.Context) (bool, error) {
			_, err := s.Client.Get(ctx, kinds.Mesh, "", mesh)
			if err == nil {
				_, err = s.Client.IssueToken(ctx, controlplane.DataplaneToken{Mesh: mesh, Name: "any", ValidFor: "1h"})
			}
			_, missing := errors.AsType[*controlplane.NotFoundError](err)
			_, unsigned := errors.AsType[*controlplane.SigningKeyError](err)
			if missing || unsigned {
				return false, nil
			}
			return true, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Requests is a number of concurrent requests with which control planes are busy.
const Requests = 16

// Each calls f with the elements of a list, up to n at a time, and returns the first error,
// which ends the work.
func Each[T any](ctx context.Context, n int, list []T, f func(context.Context, T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(n)
	for _, e := range list {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(ctx, e)
		})
	}
	return g.Wait()
}
