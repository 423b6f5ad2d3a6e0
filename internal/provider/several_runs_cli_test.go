package provider_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestRunsOfTerraformTest checks that `terraform test` reports the same with one provider
// for all runs, as in Terraform 1.15, and with one for each: no replacement where an
// earlier run deleted a mesh, nothing that only a plan without an apply keeps, and no value for a secret that an earlier run deleted.
func TestRunsOfTerraformTest(t *testing.T) {
	t.Parallel()
	const embedded = "provider \"kuma\" {\n  embedded {\n    directory    = \"${path.root}/mesh\"\n    kuma_version = \"2.14\"\n  }\n}\n"
	c := providertest.NewCLI(t, map[string]string{
		"main.tf": providertest.RequiredProvider + `
variable "keep" {
  default = true
}
variable "value" {
  type    = string
  default = null
}
resource "kuma_mesh" "shop" {
  count                          = var.keep ? 1 : 0
  name                           = "shop"
  skip_creating_initial_policies = ["*"]
}
resource "kuma_secret" "s" {
  count = var.keep ? 1 : 0
  mesh  = kuma_mesh.shop[0].name
  name  = "s"
  data  = var.value
}
resource "terraform_data" "value" {
  input = var.value
}
resource "kuma_mesh_timeout" "t" {
  count = var.keep ? 1 : 0
  mesh  = kuma_mesh.shop[0].name
  name  = "t"
  lifecycle {
    replace_triggered_by = [terraform_data.value]
  }
  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        connection_timeout = "5s"
      }
    }
  }
}
output "data" {
  value = nonsensitive(var.keep ? kuma_secret.s[0].data : null)
}`,
		"mesh.tftest.hcl": embedded + `
run "first" {
  variables {
    value = "one"
  }
}
run "deleted" {
  variables {
    keep = false
  }
}
run "again" {
  variables {
    value = "two"
  }
}
run "changed" {
  variables {
    value = "three"
  }
}
run "planned_only" {
  command = plan
  variables {
    value = "four"
  }
}`,
		"secret.tftest.hcl": embedded + `
run "first" {
  variables {
    value = "hunter2"
  }
}
run "deleted" {
  variables {
    keep = false
  }
}
run "unset" {
  assert {
    condition     = output.data == null
    error_message = jsonencode(output.data)
  }
}`,
	})
	c.SeparateProcess(t)
	out := c.Must(t, "test", "-filter=mesh.tftest.hcl")
	if !strings.Contains(out, "5 passed, 0 failed") || strings.Contains(out, "Warning: Replacement deleted") {
		t.Errorf("a new mesh is taken for a replacement:\n%s", out)
	}
	if out, code := c.Run(t, "test", "-filter=secret.tftest.hcl"); code == 0 || strings.Contains(out, "hunter2") || !strings.Contains(out, "Missing secret value") {
		t.Errorf("exit code %d, want an error about the missing value:\n%s", code, out)
	}
}
