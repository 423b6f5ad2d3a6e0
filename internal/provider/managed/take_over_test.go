package managed_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTakeOverPlansNoChange takes over a control plane with all accepted documents
// of all kinds, in the two steps that users take: it writes the configuration,
// and plans it.
func TestTakeOverPlansNoChange(t *testing.T) {
	t.Parallel()
	cp := providertest.NewEmbedded(t) // the documents would replace what a real one has in its mesh "default"
	_, documents := catalogConfiguration(t)
	imports(t, cp, documents, false, false)
	config := providertest.RequiredProvider + strings.Replace(cp.Config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1)
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + providertest.AllConfiguration})
	c.Must(t, "apply", "-auto-approve")
	text := c.Output(t, "configuration")
	written := map[kuma.Key]bool{} // the initial policies of meshes are not
	for _, r := range documents {
		written[r.Key()] = true
		if r.Mesh != "" {
			written[kuma.MeshKey(r.Mesh)] = true
		}
	}
	testworld.NoError(t, os.RemoveAll(filepath.Join(c.Dir, "terraform.tfstate")))
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config)
	providertest.Write(t, filepath.Join(c.Dir, "mesh.tf"), text)
	c.Must(t, "fmt", "-check", "mesh.tf")
	out := c.Must(t, "plan", "-input=false")
	if want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", len(written)); !strings.Contains(out, want) {
		t.Errorf("want %q\n%s", want, out)
	}
}
