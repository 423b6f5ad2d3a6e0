package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestUpgradeToKuma3UnderAState upgrades a control plane to Kuma 3.0 between two runs: a
// resource of a removed kind is gone, and everything else can be planned and destroyed.
func TestUpgradeToKuma3UnderAState(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const (
		mesh = providertest.RequiredProvider + `
provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
  }
}

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_dataplane" "web" {
  mesh = kuma_mesh.shop.name
  name = "web-1"

  networking {
    address = "10.0.0.1"
    inbound {
      port = 80
      tags = { "kuma.io/service" = "web" }
    }
  }
}
`
		gateway = `
resource "kuma_mesh_gateway" "edge" {
  mesh = kuma_mesh.shop.name
  name = "edge"

  selectors {
    match = { "kuma.io/service" = "edge" }
  }
  conf {
    listeners {
      port     = 80
      protocol = "HTTP"
    }
  }
}
`
	)
	c := providertest.NewCLI(t, map[string]string{"main.tf": mesh + gateway})
	testworld.NoError(t, os.Mkdir(filepath.Join(c.Dir, "mesh"), 0o700))
	providertest.Write(t, filepath.Join(c.Dir, "mesh", ".kuma-version"), "2.14\n")
	c.Must(t, "apply", "-auto-approve")
	providertest.Write(t, filepath.Join(c.Dir, "mesh", ".kuma-version"), "3.0\n")

	out, code := c.Run(t, "plan")
	for _, want := range []string{`Kuma 3.0 removed "tags"`, "Kuma 3.0 removed kind MeshGateway"} {
		if code == 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("plan of the old configuration ends with %d, want %q:\n%s", code, want, out)
		}
	}
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), strings.Replace(mesh, `tags = { "kuma.io/service" = "web" }`, `protocol = "http"`, 1))
	if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "0 added, 1 changed, 0 destroyed") {
		t.Errorf("apply:\n%s", out)
	}
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan ends with %d, want 0:\n%s", code, out)
	}
	if out := c.Must(t, "destroy", "-auto-approve"); !strings.Contains(out, "2 destroyed") {
		t.Errorf("destroy:\n%s", out)
	}
}
