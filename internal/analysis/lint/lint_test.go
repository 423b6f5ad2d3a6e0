package lint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// releaseOf returns the release of Kuma in which a problem is shown: the newest of Kuma 2, or
// the first one that has it.
func releaseOf(c lint.Code) kuma.Release {
	if c.Since == "" {
		return kuma.Newest2()
	}
	return kuma.ParseRelease(c.Since)
}

// TestCodes checks the documents of each code: finding.yaml has the findings in
// want.txt, clean.yaml has none.
func TestCodes(t *testing.T) {
	t.Parallel()
	var cases []string
	for _, c := range lint.Codes() {
		cases = append(cases, c.Code)
		t.Run(c.Code, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", c.Code)
			got := describe(findingsOf(c.Code, lint.Mesh(rules.NewSnapshotFor(releaseOf(c), load(t, filepath.Join(dir, "finding.yaml"))), kuma.DefaultMesh)))
			if got == "" {
				t.Error("finding.yaml has no finding")
			}
			testworld.Want(t, filepath.Join(dir, "want.txt"), got)
			if got := describe(findingsOf(c.Code, lint.Mesh(rules.NewSnapshotFor(releaseOf(c), load(t, filepath.Join(dir, "clean.yaml"))), kuma.DefaultMesh))); got != "" {
				t.Errorf("findings in clean.yaml:\n%s", got)
			}
		})
	}
	entries, err := os.ReadDir("testdata")
	testworld.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(cases, e.Name()) {
			t.Errorf("testdata/%s does not belong to a code", e.Name())
		}
	}
}

// TestCleanMesh expects no findings in a correct mesh.
func TestCleanMesh(t *testing.T) {
	t.Parallel()
	s := rules.NewSnapshot(load(t, filepath.Join("testdata", "clean.yaml")))
	if got := describe(lint.Mesh(s, kuma.DefaultMesh)); got != "" {
		t.Errorf("findings in clean.yaml:\n%s", got)
	}
	if got := describe(lint.Kuma3(s, kuma.DefaultMesh)); got != "" {
		t.Errorf("findings in clean.yaml for Kuma 3.0:\n%s", got)
	}
}

// TestNewMesh expects no findings in a mesh as a control plane creates it.
func TestNewMesh(t *testing.T) {
	t.Parallel()
	m := kuma.Resource{Type: kuma.KindMesh, Name: kuma.DefaultMesh, Body: object{}}
	resources := append(kinds.Initial(m, kuma.Newest2()), m, kuma.Resource{Type: kuma.KindDataplane, Mesh: kuma.DefaultMesh, Name: "web-1", Body: object{
		"networking": object{"address": "10.0.0.1", "inbound": []any{object{"port": json.Number("8080"), "tags": object{kuma.TagService: "web"}}}},
	}})
	for _, f := range lint.Mesh(rules.NewSnapshot(resources), kuma.DefaultMesh) {
		t.Errorf("%+v", f)
	}
}

// TestCodesAreDescribed checks the texts that the documentation is generated from.
func TestCodesAreDescribed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range lint.Codes() {
		if c.Title == "" || strings.HasSuffix(c.Title, ".") || c.Fix == "" || strings.HasSuffix(c.Fix, ".") || !strings.HasSuffix(c.Doc, ".") {
			t.Errorf("%s: the title must not end with a period, and the description must: %+v", c.Code, c)
		}
		if !slices.Contains([]lint.Severity{lint.Error, lint.Warning, lint.Info}, c.Severity) {
			t.Errorf("%s has severity %q", c.Code, c.Severity)
		}
		if seen[c.Code] {
			t.Errorf("%s exists twice", c.Code)
		}
		seen[c.Code] = true
	}
}

func findingsOf(code string, findings []lint.Finding) []lint.Finding {
	return slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.Code != code })
}

func describe(findings []lint.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s: %s %q %s\n  %s\n  %s\n", f.Severity, f.Code, f.Resource.Type, f.Resource.Name, f.Path, f.Message, f.Suggestion)
	}
	return b.String()
}

// load reads documents as a control plane would store them.
func load(t *testing.T, file string) []kuma.Resource {
	t.Helper()
	resources := testworld.Resources(t, aMesh, testworld.Text(t, file))
	for i, r := range resources {
		k, known := kinds.Find(r.Type)
		if _, older := kinds.FindOlder(r.Type); older {
			continue
		}
		if !known {
			t.Fatalf("%s: %s has an unknown kind", file, r.Key())
		}
		for _, p := range def.Errors(k.Validate(r.Document())) {
			t.Errorf("%s: %s: %s: %s", file, r.Key(), p.Path, p.Detail)
		}
		resources[i] = k.Store(r, def.StoreContext{})
	}
	return resources
}

// TestExamples checks the example of a code on its page, a difference between documents of
// which only the ones before have a finding. The other documents are those of finding.yaml.
func TestExamples(t *testing.T) {
	t.Parallel()
	examples := 0
	for _, c := range lint.Codes() {
		dir := filepath.Join("testdata", c.Code)
		if _, err := os.Stat(filepath.Join(dir, "example.diff")); err != nil {
			continue
		}
		examples++
		t.Run(c.Code, func(t *testing.T) {
			t.Parallel()
			found := func(mark string) int {
				shown := testworld.Resources(t, sideOf(testworld.Text(t, filepath.Join(dir, "example.diff")), mark))
				isShown := func(r kuma.Resource) bool {
					return slices.ContainsFunc(shown, func(s kuma.Resource) bool { return s.Key() == r.Key() })
				}
				resources := slices.DeleteFunc(load(t, filepath.Join(dir, "finding.yaml")), isShown)
				for _, r := range shown {
					k, _ := kinds.Find(r.Type)
					resources = append(resources, k.Store(r, def.StoreContext{}))
				}
				return len(findingsOf(c.Code, lint.Mesh(rules.NewSnapshotFor(releaseOf(c), resources), kuma.DefaultMesh)))
			}
			if before, after := found("-"), found("+"); after >= before {
				t.Errorf("%d findings before the change, %d after it", before, after)
			}
		})
	}
	if examples < 20 {
		t.Errorf("found %d examples, want at least 20", examples)
	}
}

// sideOf returns the text before the difference, with the mark -, or after it, with +.
func sideOf(diff, mark string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, mark) {
			b.WriteString(line[1:])
		}
	}
	return b.String()
}

// TestPageOf checks that each code has a page.
func TestPageOf(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"lost-on-route": "lint-routes#lost-on-route", "K3-033": "kuma-3-outages#k3-033", "K3-032": "kuma-3-security#k3-032", "none": ""} {
		testworld.Equal(t, fmt.Sprintf("page of %s", code), want, lint.PageOf(code))
	}
	for _, c := range kuma3.Conditions() {
		if lint.PageOf(c.ID) == "" {
			t.Errorf("%s has no page", c.ID)
		}
	}
}
