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
// pastes it, and checks that the plan after it is empty.
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
	example := testworld.Text(t, filepath.Join(providertest.Examples, "provider", "provider.tf"))
	mesh := providertest.ProviderBlock.ReplaceAllLiteralString(example, cp.Config)
	c := providertest.NewCLI(t, map[string]string{"main.tf": mesh})
	c.NeedRelease(t)

	if planned := c.Must(t, "plan"); strings.Contains(planned, "known after apply") {
		t.Errorf("the plan does not know a value:\n%s", planned)
	}

	c.Must(t, "apply", "-auto-approve")
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan has changes:\n%s", out)
	}
	c.DestroysAll(t, cp)
}
