package rules_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestGolden compares the engine with the answers of a real control plane in all
// recorded worlds.
func TestGolden(t *testing.T) {
	var counted, informational tally
	for _, world := range testworld.Golden(t) {
		t.Run(world.Name, func(t *testing.T) {
			got := checkWorld(t, world)
			if world.Informational {
				informational.add(got)
			} else {
				counted.add(got)
			}
		})
	}
	t.Logf("%s; informational: %s", counted, informational)
}

type tally struct{ worlds, equal, dataplanes int }

func (t *tally) add(o tally) {
	t.worlds += o.worlds
	t.equal += o.equal
	t.dataplanes += o.dataplanes
}

func (t tally) String() string {
	return fmt.Sprintf("%d worlds, %d of %d dataplanes equal", t.worlds, t.equal, t.dataplanes)
}

func checkWorld(t *testing.T, world testworld.World) tally {
	t.Helper()
	snapshot := rules.NewSnapshot(world.Resources)
	result := tally{worlds: 1}
	for _, dataplane := range snapshot.Dataplanes(world.Mesh) {
		recorded, ok := world.Answers[dataplane]
		if !ok {
			t.Errorf("the answer for %s is missing", dataplane)
			continue
		}
		result.dataplanes++
		want := decodeJSON(t, recorded)
		got := answerTree(t, snapshot, world.Mesh, dataplane)
		differences := diffTrees("", normalForm(got), normalForm(want))
		if len(differences) == 0 {
			result.equal++
			continue
		}
		report := t.Errorf
		if world.Informational {
			report = t.Logf
		}
		const shown = 5
		report("Dataplane(%q, %q): %d differences\n%s", world.Mesh, dataplane, len(differences),
			strings.Join(differences[:min(shown, len(differences))], "\n"))
	}
	if len(world.Answers) != result.dataplanes {
		t.Errorf("%d recorded answers, %d dataplanes", len(world.Answers), result.dataplanes)
	}
	return result
}

func answerTree(t *testing.T, s *rules.Snapshot, meshName, dataplane string) any {
	t.Helper()
	answer, err := s.Dataplane(meshName, dataplane)
	if err != nil {
		t.Fatalf("Dataplane(%q, %q): %v", meshName, dataplane, err)
	}
	return throughJSON(t, answer)
}

// throughJSON returns what v means as JSON.
func throughJSON(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return decodeJSON(t, data)
}

// normalForm sorts the arrays whose order the control plane does not fix, as
// the corpus's README says.
func normalForm(answer any) any {
	a, _ := answer.(map[string]any)
	sortBy(a["httpMatches"], "hash")
	policies, _ := a["rules"].([]any)
	for _, v := range policies {
		p, _ := v.(map[string]any)
		sortBy(p["toResourceRules"], "resourceMeta.name", "resourceMeta.type", "resourceMeta.mesh", "resourceSectionName")
		sortBy(p["fromRules"], "inbound.port", "")
		sortBy(p["inboundRules"], "inbound.port", "")
	}
	return answer
}

// sortBy sorts objects by members; the empty path stands for the whole object.
func sortBy(items any, paths ...string) {
	list, _ := items.([]any)
	slices.SortStableFunc(list, func(a, b any) int {
		for _, p := range paths {
			if c := compareValues(at(a, p), at(b, p)); c != 0 {
				return c
			}
		}
		return 0
	})
}

func at(v any, path string) any {
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func compareValues(a, b any) int {
	x, isNumber := a.(json.Number)
	y, areNumbers := b.(json.Number)
	if isNumber && areNumbers {
		i, _ := x.Float64()
		j, _ := y.Float64()
		return cmp.Compare(i, j)
	}
	return strings.Compare(fmt.Sprintf("%v", a), fmt.Sprintf("%v", b))
}

// diffTrees describes every place where two JSON trees differ.
func diffTrees(path string, got, want any) []string {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			break
		}
		var out []string
		for _, k := range slices.Sorted(maps.Keys(want)) {
			g, ok := got[k]
			if !ok {
				out = append(out, fmt.Sprintf("  %s.%s: missing, want %s", path, k, compact(want[k])))
				continue
			}
			out = append(out, diffTrees(path+"."+k, g, want[k])...)
		}
		for _, k := range slices.Sorted(maps.Keys(got)) {
			if _, ok := want[k]; !ok {
				out = append(out, fmt.Sprintf("  %s.%s: got %s, want it absent", path, k, compact(got[k])))
			}
		}
		return out
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			break
		}
		var out []string
		for i := range want {
			out = append(out, diffTrees(fmt.Sprintf("%s[%d]", path, i), got[i], want[i])...)
		}
		return out
	}
	if tree.Equal(got, want) {
		return nil
	}
	return []string{fmt.Sprintf("  %s:\n    got  %s\n    want %s", path, compact(got), compact(want))}
}

func compact(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func decodeJSON(t *testing.T, data []byte) any {
	t.Helper()
	v, err := tree.DecodeJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
