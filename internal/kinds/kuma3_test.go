package kinds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestEverythingThatKuma3Removed writes each removed kind, field and value that is recorded
// to both major releases: only Kuma 3.0 rejects it, on its path, and says what to do.
func TestEverythingThatKuma3Removed(t *testing.T) {
	t.Parallel()
	entries, _ := testworld.Document(t, testworld.Text(t, "testdata/versions.yaml"))["kinds"].(map[string]any)
	tried := 0
	for _, k := range kinds.All() {
		entry, _ := entries[k.Name].(map[string]any)
		for _, line := range recordedReleases(entry) {
			place, ok := strings.CutPrefix(line, "3.0 without ")
			if !ok {
				continue
			}
			tried++
			place, value, _ := strings.Cut(place, "=")
			doc := map[string]any{"type": k.Name, "name": "a"}
			want := ""
			if place != "kind" {
				want = strings.ReplaceAll(place, "[]", "[0]")
				setAt(doc, k.Root(), strings.Split(place, "."), value)
			}
			rejects := func(release string) bool {
				return slices.ContainsFunc(k.ValidateRelease(doc, kuma.ParseRelease(release)), func(p def.Problem) bool {
					return p.Path.String() == want && !p.Warning && strings.Contains(p.Detail, "Kuma 3.0 removed") && strings.HasSuffix(p.Detail, ".")
				})
			}
			if !rejects("3.0.1") || rejects("2.14.6") {
				t.Errorf("%s: %s: rejected by 3.0.1: %t, by 2.14.6: %t", k.Name, line, rejects("3.0.1"), rejects("2.14.6"))
			}
		}
	}
	if tried < 263 {
		t.Errorf("only %d places tried", tried)
	}
}

// setAt sets a value in a document, or a sample if it is empty; steps to lists end in "[]".
func setAt(m map[string]any, o def.Object, steps []string, value string) {
	name, isList := strings.CutSuffix(steps[0], "[]")
	f, _ := o.Field(name)
	var v any
	switch inner := def.ObjectOf(f.Type); {
	case len(steps) > 1:
		child := map[string]any{}
		setAt(child, inner, steps[1:], value)
		v = child
	case value != "":
		v = value
	case inner != nil || f.Type == def.Type(def.StringMap{}):
		v = map[string]any{"a": "b"}
	default:
		v = "a"
	}
	if _, ok := f.Type.(def.List); ok || isList {
		v = []any{v}
	}
	m[name] = v
}
