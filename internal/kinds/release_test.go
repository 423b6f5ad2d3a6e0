package kinds_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestReleases compares the releases of kinds, fields and values with those
// that were read from the releases 2.9 to 2.14.
func TestReleases(t *testing.T) {
	t.Parallel()
	entries, ok := testworld.Document(t, testworld.Text(t, "testdata/versions.yaml"))["kinds"].(map[string]any)
	if !ok {
		t.Fatal("versions.yaml lists no kinds")
	}
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			entry, ok := entries[k.Name].(map[string]any)
			if !ok {
				t.Fatalf("versions.yaml has no %s", k.Name)
			}
			if diff := cmp.Diff(recordedReleases(entry), describedReleases(k)); diff != "" {
				t.Errorf("since when (-recorded +described):\n%s", diff)
			}
		})
	}
}

// recordedReleases returns lines like "2.14 spec.rules[].matches" for what came
// after 2.9, and before 3.0.
func recordedReleases(entry map[string]any) []string {
	var lines []string
	add := func(since any, what string) {
		if since != "2.9" && since != "3.0-dev" {
			lines = append(lines, fmt.Sprintf("%v %s", since, what))
		}
	}
	add(entry["since"], "kind")
	refs, _ := entry["target_ref"].(map[string]any)
	for position, path := range map[string]string{"top": "spec.targetRef", "to": "spec.to[].targetRef", "from": "spec.from[].targetRef"} {
		taken, _ := refs[position].(map[string]any)
		for kind, e := range taken {
			add(e.(map[string]any)["since"], path+".kind="+kind)
		}
	}
	list := func(key string) []any {
		l, _ := entry[key].([]any)
		return l
	}
	for _, e := range list("fields_added") {
		field := e.(map[string]any)
		if path := field["path"].(string); !strings.HasPrefix(path, "status") {
			add(field["since"], path)
		}
	}
	for _, e := range list("enum_changes") {
		change := e.(map[string]any)
		for _, value := range change["added"].([]any) {
			add(change["in"], fmt.Sprintf("%s=%s", change["path"], value))
		}
	}
	slices.Sort(lines)
	return lines
}

func describedReleases(k def.Kind) []string {
	var lines []string
	if k.Since != "" {
		lines = append(lines, k.Since+" kind")
	}
	root, within := "spec", k.Since
	if k.Flat {
		root = ""
	}
	describedIn(k.Fields, root, within, &lines)
	slices.Sort(lines)
	return lines
}

// describedIn adds the lines of an object that exists since within.
func describedIn(o def.Object, at, within string, lines *[]string) {
	for _, f := range o {
		path, since := strings.TrimPrefix(at+"."+f.Name, "."), within
		if f.Since != "" && f.Since != within {
			*lines = append(*lines, f.Since+" "+path)
			since = f.Since
		}
		elem := f.Type
		if list, ok := elem.(def.List); ok {
			path, elem = path+"[]", list.Elem
		}
		for value, release := range f.SinceOf {
			if !kuma.ParseRelease(within).Has(release) || within == "" {
				*lines = append(*lines, fmt.Sprintf("%s %s=%s", release, path, value))
			}
		}
		if inner, ok := elem.(def.Object); ok {
			describedIn(inner, path, since, lines)
		}
	}
}
