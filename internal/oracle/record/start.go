package main

import (
	"context"
	"errors"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

// onZone runs f on a control plane of the zone zone-1.
func onZone(ctx context.Context, binary string, f func(*server) error) (err error) {
	var d deployment
	defer func() { err = errors.Join(err, d.stop()) }()
	s, err := d.start(ctx, oracle.Options{Binary: binary})
	if err != nil {
		return err
	}
	return f(s)
}

// onZones runs f on a global control plane and those of its zones, by name.
func onZones(ctx context.Context, binary string, zones []string, f func(global *server, zones map[string]*server) error) (err error) {
	var d deployment
	defer func() { err = errors.Join(err, d.stop()) }()
	global, err := d.start(ctx, oracle.Options{Binary: binary, Mode: kuma.ModeGlobal})
	if err != nil {
		return err
	}
	servers := map[string]*server{}
	for _, zone := range zones {
		if servers[zone], err = d.start(ctx, oracle.Options{Binary: binary, Zone: zone, Global: d.running[0]}); err != nil {
			return err
		}
	}
	return f(global, servers)
}

// deployment is a set of control planes that work together.
type deployment struct {
	running []*oracle.ControlPlane
}

func (d *deployment) start(ctx context.Context, o oracle.Options) (*server, error) {
	cp, err := oracle.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	d.running = append(d.running, cp)
	s := newServer(cp.Endpoint)
	return s, s.await(ctx)
}

// stop stops the control planes, the global one last.
func (d *deployment) stop() error {
	var errs []error
	for _, cp := range slices.Backward(d.running) {
		errs = append(errs, cp.Stop())
	}
	return errors.Join(errs...)
}
