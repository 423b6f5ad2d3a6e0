package provider_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestKongMeshGuide follows the guide with a recorded state of the provider
// kong/kong-mesh, on a control plane that stores what that provider wrote.
func TestKongMeshGuide(t *testing.T) {
	t.Parallel()
	needCLI(t)
	moves := filepath.Join("testdata", "moves")
	cp := newTestControlPlane(t, since("2.14"), beforeKuma3, writes(kinds.MeshService)) // which was recorded
	for _, doc := range testworld.JSONObjects(t, testworld.Text(t, filepath.Join(moves, "kong-mesh.stored.json"))) {
		r := testworld.FromDocument(t, doc)
		k, _ := kinds.Find(r.Type)
		if _, _, err := cp.client.Put(t.Context(), k, r); err != nil {
			t.Fatal(err)
		}
	}
	guide := testworld.Text(t, filepath.Join("..", "..", "templates", "guides", "move-from-kong-mesh.md"))
	block := func(language, text string) string {
		t.Helper()
		for _, b := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(guide, -1) {
			if strings.Contains(b[1], text) {
				return b[1]
			}
		}
		t.Fatalf("no block of the guide contains %q", text)
		return ""
	}

	// The mesh of the recorded state has another name than that of the guide.
	provider := regexp.MustCompile(`(?s)provider "kuma" \{.*?\n\}\n`)
	configuration := provider.ReplaceAllLiteralString(block("terraform", `data "kuma_resources"`), cp.config)
	configuration = strings.Replace(configuration, "before.tfstate", "${path.root}/before.tfstate", 1)
	state := testworld.Text(t, filepath.Join(moves, "kong-mesh.state.json"))
	generated := newCLI(t, map[string]string{"main.tf": strings.Replace(configuration, `= "shop"`, `= "moved"`, 1), "before.tfstate": state})
	generated.must(t, "apply", "-auto-approve")
	shop := generated.must(t, "output", "-raw", "shop")
	if !strings.Contains(shop, block("terraform", "from = kong-mesh")) {
		t.Errorf("the guide does not show a block of\n%s", shop)
	}

	c := newCLI(t, map[string]string{
		"main.tf":           block("terraform", "kong-mesh = {") + cp.config,
		"shop.tf":           shop,
		"terraform.tfstate": state,
	})
	c.pretendToHaveKongMesh()
	const moved = 6
	c.onlyMoves(t, moved)
	out := c.must(t, "apply", "-auto-approve")
	for _, line := range regexp.MustCompile(`(?m)^.*\S.*$`).FindAllString(block("text", "has moved to"), -1) {
		if before, _, _ := strings.Cut(out, "Apply complete!"); !strings.Contains(before, strings.TrimSpace(line)) {
			t.Errorf("%q is not in\n%s", line, out)
		}
	}
	write(t, filepath.Join(c.dir, "shop.tf"), regexp.MustCompile(`(?s)moved \{.*?\n\}\n`).ReplaceAllLiteralString(shop, ""))
	c.planIsEmpty(t)
}
