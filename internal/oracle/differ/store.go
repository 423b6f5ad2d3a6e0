package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

// store stores a world and returns the accepted resources: none if the mesh is rejected. It
// completes resources like the provider, and waits until zones are synchronized.
func store(ctx context.Context, d *oracle.Deployment, world []kuma.Resource) (taken []kuma.Resource, rejected []oracle.Rejection,
	err error,
) {
	writes := d.Writes(world)
	for i, w := range writes {
		writes[i].Resource = completed(w.Owner, w.Resource)
	}
	if rejected, err = d.Store(ctx, writes); err != nil {
		return nil, nil, err
	}
	for _, r := range world {
		isRejected := slices.ContainsFunc(rejected, func(f oracle.Rejection) bool { return f.Resource.Key() == r.Key() })
		switch {
		case isRejected && r.Type == kuma.KindMesh:
			return nil, rejected, nil
		case !isRejected:
			taken = append(taken, r)
		}
	}
	if len(d.Sites) > 1 {
		err = synced(ctx, d, world[0].Name)
	}
	return taken, rejected, err
}

// completed returns a resource as the provider sends it to a control plane.
func completed(s *oracle.Site, r kuma.Resource) kuma.Resource {
	if !s.Info.Release.Has(kuma.CompletesSince) {
		k, _ := kinds.Find(r.Type)
		r = r.Clone()
		k.FillDefaults(r)
		r.Labels = k.Labels(r, s.Info.ControlPlane)
	}
	return r
}

// synced waits until the resources of the control planes do not change for a few rounds of
// synchronization.
func synced(ctx context.Context, d *oracle.Deployment, mesh string) error {
	_, err := oracle.Settled(ctx, time.Second/2, 6, func(ctx context.Context) ([]kuma.Key, string, error) {
		var keys []kuma.Key
		for _, s := range d.Sites {
			resources, err := s.Stored(ctx, mesh)
			if err != nil {
				return nil, "", err
			}
			for _, r := range resources {
				keys = append(keys, r.Key())
			}
		}
		return keys, fmt.Sprint(keys), nil
	})
	return err
}

// remove deletes a world.
func remove(ctx context.Context, d *oracle.Deployment, world []kuma.Resource) {
	for _, s := range slices.Backward(d.Sites) {
		s.Remove(ctx, world[0].Name, d.SentTo(s, world))
	}
}
