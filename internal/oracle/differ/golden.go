package main

import (
	"context"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// record writes the mesh that a control plane stores, and its answers, in the format of
// internal/rules/testdata/golden.
func record(ctx context.Context, s *oracle.Site, mesh, dir string, about map[string]any) error {
	world := testworld.World{Mesh: mesh}
	var err error
	if world.Resources, err = s.Stored(ctx, mesh); err != nil {
		return err
	}
	if world.Answers, err = s.Answers(ctx, world.Resources); err != nil {
		return err
	}
	about["controlPlane"] = map[string]any{
		"product": s.Info.Product, "version": s.Info.Version, "mode": s.Info.Mode, "zone": s.Info.Zone, "federated": s.Info.Federated,
		"environment": "universal", "recordedBy": "differ: PUT of the resources, then GET",
	}
	files, err := oracle.EncodeWorld(world, about)
	if err != nil {
		return err
	}
	return oracle.WriteFiles(dir, files)
}
