package e2e_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestKongMeshGuide follows the guide with a recorded state of the provider
// kong/kong-mesh, on a control plane that stores what that provider wrote.
func TestKongMeshGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	moves := testworld.Path("internal", "provider", "managed", "testdata", "moves")
	cp := providertest.NewControlPlane(t, providertest.Since("2.14"), providertest.BeforeKuma3, providertest.Writes(kinds.MeshService)) // which was recorded
	for _, doc := range testworld.JSONObjects(t, testworld.Text(t, filepath.Join(moves, "kong-mesh.stored.json"))) {
		cp.Put(t, testworld.FromDocument(t, doc))
	}
	guide := testworld.Text(t, testworld.Path("docs", "guides", "move-from-kong-mesh.md"))
	block := func(language, part string) string {
		t.Helper()
		for _, b := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(guide, -1) {
			if strings.Contains(b[1], part) {
				return b[1]
			}
		}
		t.Fatalf("no block of the guide contains %q", part)
		return ""
	}

	// The mesh of the recorded state has another name than that of the guide.
	provider := regexp.MustCompile(`(?s)provider "kuma" \{.*?\n\}\n`)
	configuration := provider.ReplaceAllLiteralString(block("terraform", `data "kuma_resources"`), cp.Config)
	configuration = strings.Replace(configuration, "before.tfstate", "${path.root}/before.tfstate", 1)
	state := testworld.Text(t, filepath.Join(moves, "kong-mesh.state.json"))
	generated := providertest.NewCLI(t, map[string]string{"main.tf": strings.Replace(configuration, `= "shop"`, `= "moved"`, 1), "before.tfstate": state})
	generated.Must(t, "apply", "-auto-approve")
	text := generated.Output(t, "shop")
	if !strings.Contains(text, block("terraform", "from = kong-mesh")) {
		t.Errorf("the guide does not show a block of\n%s", text)
	}

	c := providertest.NewCLI(t, map[string]string{
		"main.tf":           block("terraform", "kong-mesh = {") + cp.Config,
		"shop.tf":           text,
		"terraform.tfstate": state,
	})
	c.PretendToHaveKongMesh()
	const moved = 6
	c.OnlyMoves(t, moved)
	c.Must(t, "plan", "-out=plan")
	s := shop{c, cp}
	r := s.review(t, c.Show(t, "plan"), s.stored()...)
	testworld.Equal(t, "decision of the review", "accepted", r.Decision)
	testworld.Equal(t, "reviewed moves", moved, len(r.Changes))
	out := c.Must(t, "apply", "-auto-approve")
	for _, line := range regexp.MustCompile(`(?m)^.*\S.*$`).FindAllString(block("text", "has moved to"), -1) {
		if before, _, _ := strings.Cut(out, "Apply complete!"); !strings.Contains(before, strings.TrimSpace(line)) {
			t.Errorf("%q is not in\n%s", line, out)
		}
	}
	providertest.Write(t, filepath.Join(c.Dir, "shop.tf"), regexp.MustCompile(`(?s)moved \{.*?\n\}\n`).ReplaceAllLiteralString(text, ""))
	c.PlanIsEmpty(t)
}
