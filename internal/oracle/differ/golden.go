package main

import (
	"context"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// record writes the mesh that a control plane stores, and its answers, in the format of
// internal/rules/testdata/golden.
func record(ctx context.Context, s *controlPlane, mesh, dir string, about map[string]any) error {
	world := testworld.World{Mesh: mesh, Answers: map[string]any{}}
	var err error
	if world.Resources, err = s.stored(ctx, mesh); err != nil {
		return err
	}
	for _, r := range world.Resources {
		if r.Type != kuma.KindDataplane {
			continue
		}
		if world.Answers[r.Name], err = s.rules(ctx, mesh, r.Name); err != nil {
			return err
		}
	}
	about["controlPlane"] = map[string]any{
		"product": s.info.Product, "version": s.info.Version, "mode": s.info.Mode, "zone": s.info.Zone, "federated": s.info.Federated,
		"environment": s.info.Environment, "recordedBy": "differ: PUT of the resources, then GET",
	}
	return testworld.WriteWorld(dir, world, about)
}
