package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// record writes the mesh that a control plane holds, with its answers, in the
// format of internal/rules/testdata/golden.
func record(ctx context.Context, s *controlPlane, mesh, dir string, about map[string]any) error {
	stored, err := s.stored(ctx, mesh)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var resources []byte
	counts := map[string]any{}
	dataplanes := []any{}
	for _, r := range stored {
		text, err := tree.EncodeYAML(r.Document())
		if err != nil {
			return err
		}
		resources = append(append(resources, "---\n"...), text...)
		n, _ := counts[r.Type].(int)
		counts[r.Type] = n + 1
		if r.Type != kuma.KindDataplane {
			continue
		}
		dataplanes = append(dataplanes, r.Name)
		answer, err := s.rules(ctx, mesh, r.Name)
		if err != nil {
			return err
		}
		data, err := json.MarshalIndent(answer, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "rules."+r.Name+".json"), append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	about["mesh"], about["dataplanes"], about["resourceCounts"] = mesh, dataplanes, counts
	about["controlPlane"] = map[string]any{
		"product": s.info.Product, "version": s.info.Version, "mode": s.info.Mode, "zone": s.info.Zone, "federated": s.info.Federated,
		"environment": s.info.Environment, "recordedBy": "differ: PUT of the resources, then GET",
	}
	text, err := tree.EncodeYAML(about)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "resources.yaml"), resources, 0o644),
		os.WriteFile(filepath.Join(dir, "case.yaml"), text, 0o644),
	)
}
