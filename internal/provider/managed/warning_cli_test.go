package managed_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestWarningsOfKuma3 checks that a plan for Kuma 3.0 warns once about each setting that
// the control plane warns about, and that its own warning is not added in the apply.
func TestWarningsOfKuma3(t *testing.T) {
	t.Parallel()
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.EmbeddedConfig("3.0") + `

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_service" "web" {
  mesh = kuma_mesh.shop.name
  name = "web"

  spec {
    ports {
      port = 80
    }
  }
}
`})
	for _, args := range [][]string{{"plan", "-out=tfplan"}, {"apply", "tfplan"}} {
		out := strings.Join(strings.Fields(c.Must(t, args...)), " ")
		for _, warning := range []string{"Selector selects no proxies"} {
			if got := strings.Count(out, "Warning: "+warning); got != 1 {
				t.Errorf("%s: %d warnings %q, want 1:\n%s", args[0], got, warning, out)
			}
		}
		if strings.Contains(out, "Control plane warning") {
			t.Errorf("%s repeats warnings:\n%s", args[0], out)
		}
	}
}
