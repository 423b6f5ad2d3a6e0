package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// allConfiguration requests the configuration of all resources.
const allConfiguration = `
data "kuma_resources" "all" {
  global    = true
  unmanaged = true
  include   = ["configuration"]
}
output "configuration" {
  value = data.kuma_resources.all.configuration
}
`

// TestTakeOverPlansNoChange takes over a control plane with all accepted documents
// of all kinds, in the two steps that users take: it writes the configuration,
// and plans it.
func TestTakeOverPlansNoChange(t *testing.T) {
	t.Parallel()
	needCLI(t)
	cp := newEmbedded(t) // the documents would replace what a real one has in its mesh "default"
	_, documents := catalogConfiguration(t)
	cp.imports(t, documents, false, false)
	config := requiredProvider + strings.Replace(cp.config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1)
	c := newCLI(t, map[string]string{"main.tf": config + allConfiguration})
	c.must(t, "apply", "-auto-approve")
	text := c.must(t, "output", "-raw", "configuration")
	written := map[kuma.Key]bool{} // the initial policies of meshes are not
	for _, r := range documents {
		written[r.Key()] = true
		if r.Mesh != "" {
			written[kuma.MeshKey(r.Mesh)] = true
		}
	}
	if err := os.RemoveAll(filepath.Join(c.dir, "terraform.tfstate")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(c.dir, "main.tf"), config)
	write(t, filepath.Join(c.dir, "mesh.tf"), text)
	c.must(t, "fmt", "-check", "mesh.tf")
	out := c.must(t, "plan", "-input=false")
	if want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", len(written)); !strings.Contains(out, want) {
		t.Errorf("want %q\n%s", want, out)
	}
}
