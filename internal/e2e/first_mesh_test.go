package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestFirstMesh applies the first example of the documentation as a reader would who
// pastes it, and checks that the plan says what the documentation shows. With Kuma 2, it
// also says what the policies do that are created with the mesh.
func TestFirstMesh(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
		t.Helper()
		firstMesh(t, open(t, providertest.Writes(kinds.MeshService)))
	})
}

func firstMesh(t *testing.T, cp providertest.ControlPlane) {
	t.Helper()
	dir := filepath.Join(providertest.Examples, "provider")
	mesh := providertest.ProviderBlock.ReplaceAllLiteralString(testworld.Text(t, filepath.Join(dir, "provider.tf")), cp.Config)
	c := providertest.NewCLI(t, map[string]string{"main.tf": mesh, "rules.tf": testworld.Text(t, filepath.Join(dir, "rules.tf"))})
	c.NeedRelease(t)

	planned := c.Must(t, "plan")
	_, outputs, _ := strings.Cut(planned, "Changes to Outputs:\n")
	outputs, _, _ = strings.Cut(outputs, "\n\n")
	if !strings.Contains(outputs, "http.requestTimeout = 5s ← checkout") || strings.Contains(planned, "known after apply") {
		t.Errorf("the plan does not know the output:\n%s", planned)
	}
	if cp.ControlPlane.Release.Kuma3() && !strings.Contains(testworld.Text(t, testworld.Path("docs", "index.md")), outputs) {
		t.Errorf("the index does not show\n%s", outputs)
	}

	c.Must(t, "apply", "-auto-approve")
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan has changes:\n%s", out)
	}
	c.DestroysAll(t, cp)
}
