package provider_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestServiceTagsGuide applies the example of the guide, and finds the outputs in
// the text as the guide shows them.
func TestServiceTagsGuide(t *testing.T) {
	needCLI(t)
	files := map[string]string{}
	for _, name := range []string{"main.tf", "mesh.yaml", "services.yaml"} {
		files[name] = testworld.Text(t, filepath.Join(examples, "guides", "service-tags", name))
	}
	c := newCLI(t, files)
	c.must(t, "apply", "-auto-approve")
	guide := testworld.Text(t, filepath.Join("..", "..", "templates", "guides", "service-tags.md.tmpl"))
	_, outputs, _ := strings.Cut(c.must(t, "output"), "findings_after")
	outputs = "findings_after" + outputs
	const blocks = 4
	shown := strings.SplitAfter(strings.TrimSpace(outputs), "\n]\n")
	if len(shown) != blocks {
		t.Fatalf("%d outputs, want %d:\n%s", len(shown), blocks, outputs)
	}
	for _, block := range shown {
		if !strings.Contains(guide, strings.TrimSpace(block)) {
			t.Errorf("the guide does not show\n%s", block)
		}
	}
}
