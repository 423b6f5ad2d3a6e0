package provider_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestFirstMesh applies the first example of the documentation as a reader would who
// pastes it, and checks that the plan says what the documentation shows. With Kuma 2, it
// also says what the policies do that are created with the mesh.
func TestFirstMesh(t *testing.T) {
	t.Parallel()
	needCLI(t)
	onEachRelease(t, func(t *testing.T, open opener) {
		t.Helper()
		firstMesh(t, open(t, writes(kinds.MeshService)))
	})
}

func firstMesh(t *testing.T, cp testControlPlane) {
	t.Helper()
	dir := filepath.Join(examples, "provider")
	mesh := providerBlock.ReplaceAllLiteralString(testworld.Text(t, filepath.Join(dir, "provider.tf")), cp.config)
	c := newCLI(t, map[string]string{"main.tf": mesh, "rules.tf": testworld.Text(t, filepath.Join(dir, "rules.tf"))})
	c.needRelease(t)

	planned := c.must(t, "plan")
	_, outputs, _ := strings.Cut(planned, "Changes to Outputs:\n")
	outputs, _, _ = strings.Cut(outputs, "\n\n")
	if !strings.Contains(outputs, "http.requestTimeout = 5s ← checkout") || strings.Contains(planned, "known after apply") {
		t.Errorf("the plan does not know the output:\n%s", planned)
	}
	for _, page := range []string{"README.md", filepath.Join("docs", "index.md")} {
		if cp.ControlPlane.Release.Kuma3() && !strings.Contains(testworld.Text(t, filepath.Join("..", "..", page)), outputs) {
			t.Errorf("%s does not show\n%s", page, outputs)
		}
	}

	c.must(t, "apply", "-auto-approve")
	if out, code := c.run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan has changes:\n%s", out)
	}
	c.destroysAll(t, cp)
}
