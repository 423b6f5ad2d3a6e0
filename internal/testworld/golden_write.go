package testworld

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// WriteWorld writes the mesh, the resources and the answers of a world to a
// directory, in the format that Golden reads. about contains the other fields
// of case.yaml, such as how the world was recorded.
func WriteWorld(dir string, w World, about map[string]any) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var resources []byte
	counts := map[string]any{}
	for _, r := range w.Resources {
		text, err := tree.EncodeYAML(r.Document())
		if err != nil {
			return fmt.Errorf("encode %s: %w", r.Key(), err)
		}
		resources = append(append(resources, "---\n"...), text...)
		n, _ := counts[r.Type].(int)
		counts[r.Type] = n + 1
	}
	dataplanes := []any{}
	for _, name := range slices.Sorted(maps.Keys(w.Answers)) {
		dataplanes = append(dataplanes, name)
		answer, err := json.MarshalIndent(w.Answers[name], "", " ")
		if err != nil {
			return fmt.Errorf("encode the answer for %s: %w", name, err)
		}
		file := filepath.Join(dir, answerPrefix+name+answerSuffix)
		if err := os.WriteFile(file, append(answer, '\n'), 0o644); err != nil {
			return err
		}
	}
	about = maps.Clone(about)
	about["mesh"], about["dataplanes"], about["resourceCounts"] = w.Mesh, dataplanes, counts
	text, err := tree.EncodeYAML(about)
	if err != nil {
		return fmt.Errorf("encode the description: %w", err)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, resourcesFile), resources, 0o644),
		os.WriteFile(filepath.Join(dir, caseFile), text, 0o644),
	)
}
