package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// embedded3 is a provider block with a control plane of Kuma 3.0.
const embedded3 = `
provider "kuma" {
  embedded {
    directory    = "${path.root}/mesh"
    zone         = "zone-1"
    kuma_version = "3.0"
  }
}
`

// mesh3 is a mesh as Kuma 3.0 has it: no tags, references by labels, and an identity.
const mesh3 = `
resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_dataplane" "web" {
  mesh   = kuma_mesh.shop.name
  name   = "web-1"
  labels = { app = "web", "kuma.io/workload" = "web" }

  networking {
    address = "10.0.0.1"
    inbound {
      port     = 8080
      name     = "http"
      protocol = "http"
    }
    outbound {
      port = 9090
      backend_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = kuma_mesh_service.api.name }
        port   = 80
      }
    }
  }
}

resource "kuma_mesh_service" "api" {
  mesh = kuma_mesh.shop.name
  name = "api"

  spec {
    selector {
      dataplane_labels {
        match_labels = { app = "api" }
      }
    }
    ports {
      port         = 80
      name         = "http"
      app_protocol = "http"
    }
  }
}

resource "kuma_mesh_timeout" "web" {
  mesh = kuma_mesh.shop.name
  name = "web"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "web" }
    }
    to {
      target_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = kuma_mesh_service.api.name }
      }
      default {
        connection_timeout = "3s"
      }
    }
  }
}

resource "kuma_mesh_identity" "shop" {
  mesh = kuma_mesh.shop.name
  name = "shop"

  spec {
    selector {
      dataplane {
        match_labels = {}
      }
    }
    spiffe_id {
      path = "/workload/{{ .Workload }}"
    }
    provider {
      type = "Bundled"
      bundled {
        insecure_allow_self_signed = true
        autogenerate {
          enabled = true
        }
      }
    }
  }
}

resource "kuma_mesh_traffic_permission" "api" {
  mesh = kuma_mesh.shop.name
  name = "api"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "api" }
    }
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.zone-1.mesh.local/workload/web"
          }
        }
      }
    }
  }
}

data "kuma_effective_rules" "web" {
  mesh       = kuma_mesh.shop.name
  dataplane  = kuma_dataplane.web.name
  types      = ["MeshTimeout"]
  depends_on = [kuma_mesh_timeout.web]
}

output "rules" {
  value = data.kuma_effective_rules.web.explanation
}
`

// TestMeshOfKuma3 manages a mesh in the form of Kuma 3.0 on an embedded control plane of
// that release.
func TestMeshOfKuma3(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + embedded3 + mesh3})
	if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "6 added, 0 changed, 0 destroyed") {
		t.Errorf("apply:\n%s", out)
	}
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan ends with %d, want 0:\n%s", code, out)
	}
	if rules, _ := c.Outputs(t)["rules"].(string); !strings.Contains(rules, "connectionTimeout = 3s") {
		t.Errorf("rules of the proxy:\n%s", rules)
	}
	stored := testworld.Text(t, filepath.Join(c.Dir, "mesh", "dataplanes", "shop", "web-1.yaml"))
	for _, label := range []string{"kuma.io/display-name: web-1", "kuma.io/origin: zone", "kuma.io/zone: zone-1"} {
		if !strings.Contains(stored, label) {
			t.Errorf("%s is missing in\n%s", label, stored)
		}
	}

	for name, test := range map[string]struct{ old, replacement, want string }{
		"tags":         {`protocol = "http"`, `tags = { "kuma.io/service" = "web" }`, `Kuma 3.0 removed "tags"`},
		"policies":     {`name = "shop"` + "\n}", `name = "shop"` + "\n  skip_creating_initial_policies = [\"*\"]\n}", `Kuma 3.0 removed "skip_creating_initial_policies"`},
		"MeshSubset":   {`kind   = "Dataplane"`, `kind   = "MeshSubset"`, "MeshSubset"},
		"own release":  {`kuma_version = "3.0"`, ``, "No changes."},
		"other":        {`kuma_version = "3.0"`, `kuma_version = "2.14"`, "Directory belongs to another release"},
		"not released": {`kuma_version = "3.0"`, `kuma_version = "4.0"`, "must be 2.14 or 3.0"},
	} {
		text := strings.Replace(providertest.RequiredProvider+embedded3+mesh3, test.old, test.replacement, 1)
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), text)
		out, code := c.Run(t, "plan")
		flat := strings.Join(strings.Fields(strings.ReplaceAll(out, "│", "")), " ")
		if fails := !strings.Contains(test.want, "No changes"); (code != 0) != fails || !strings.Contains(flat, test.want) || fails && !strings.Contains(out, "on main.tf line ") {
			t.Errorf("%s: plan ends with %d, want %q on a line:\n%s", name, code, test.want, out)
		}
	}

	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), providertest.RequiredProvider+embedded3+mesh3)
	if out := c.Must(t, "destroy", "-auto-approve"); !strings.Contains(out, "6 destroyed") {
		t.Errorf("destroy:\n%s", out)
	}
	left, err := os.ReadDir(filepath.Join(c.Dir, "mesh", "meshtimeouts"))
	if err != nil && !os.IsNotExist(err) || len(left) > 0 {
		t.Errorf("left of the mesh: %v %v", left, err)
	}
}
