package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

// deployment is the control planes that store a world: one, or a global one, which comes
// first, with its zones.
type deployment struct {
	sites   []*controlPlane
	running []*oracle.ControlPlane
}

// stop stops the control planes, zones first.
func (d *deployment) stop() error {
	var errs []error
	for _, cp := range slices.Backward(d.running) {
		errs = append(errs, cp.Stop())
	}
	return errors.Join(errs...)
}

func (d *deployment) multizone() bool { return len(d.sites) > 1 }

// owner is the control plane that a resource is written to.
func (d *deployment) owner(r kuma.Resource) *controlPlane {
	for _, s := range d.sites[1:] {
		if s.info.Zone == r.Zone() {
			return s
		}
	}
	return d.sites[0]
}

// sentTo returns the resources that are written to a control plane.
func (d *deployment) sentTo(s *controlPlane, world []kuma.Resource) []kuma.Resource {
	return slices.DeleteFunc(slices.Clone(world), func(r kuma.Resource) bool { return d.owner(r) != s })
}

const (
	// cached is the time for which a control plane caches an answer.
	cached = 1100 * time.Millisecond
	// syncLimit limits the wait for the synchronization of zones and global
	// control plane, which takes a few seconds on an idle machine.
	syncLimit = 5 * time.Minute
)

// rejection is a document that a control plane rejects.
type rejection struct {
	resource kuma.Resource
	reason   string
}

// store stores a world and returns the accepted resources: none if the mesh is rejected.
// In a deployment with zones it waits until they are synchronized.
func (d *deployment) store(ctx context.Context, world []kuma.Resource) (taken []kuma.Resource, rejected []rejection, err error) {
	for _, r := range world {
		owner := d.owner(r)
		reason, err := owner.put(ctx, r)
		switch {
		case err != nil:
			return nil, nil, err
		case reason != "" && r.Type == kuma.KindMesh:
			return nil, []rejection{{r, reason}}, nil
		case reason != "":
			rejected = append(rejected, rejection{r, reason})
			continue
		}
		taken = append(taken, r)
		if r.Type == kuma.KindMesh && d.multizone() {
			if err := d.awaitMesh(ctx, r.Name); err != nil {
				return nil, nil, err
			}
		}
	}
	if d.multizone() {
		err = d.awaitSync(ctx, world[0].Name)
	}
	return taken, rejected, err
}

// awaitMesh waits until all zones have a mesh.
func (d *deployment) awaitMesh(ctx context.Context, mesh string) error {
	return poll(ctx, func() bool {
		return !slices.ContainsFunc(d.sites, func(s *controlPlane) bool {
			_, err := s.stored(ctx, mesh)
			return err != nil
		})
	})
}

// awaitSync waits until the resources of the control planes do not change for a few
// rounds of synchronization.
func (d *deployment) awaitSync(ctx context.Context, mesh string) error {
	const quiet = 6
	var last []kuma.Key
	same := 0
	return poll(ctx, func() bool {
		var keys []kuma.Key
		for _, s := range d.sites {
			resources, err := s.stored(ctx, mesh)
			if err != nil {
				return false
			}
			for _, r := range resources {
				keys = append(keys, r.Key())
			}
		}
		if slices.Equal(keys, last) {
			same++
		} else {
			last, same = keys, 0
		}
		return same >= quiet
	})
}

func poll(ctx context.Context, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, syncLimit)
	defer cancel()
	for !done() {
		if err := pause(ctx, 500*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// remove deletes a world.
func (d *deployment) remove(ctx context.Context, world []kuma.Resource) {
	for _, s := range slices.Backward(d.sites) {
		s.remove(ctx, world[0].Name, d.sentTo(s, world))
	}
}
