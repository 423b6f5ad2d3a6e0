package managed_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

func TestResources(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Writes(kinds.MeshService))
	names := func(names ...string) knownvalue.Check {
		var checks []knownvalue.Check
		for _, n := range names {
			checks = append(checks, knownvalue.ObjectPartial(map[string]knownvalue.Check{"name": knownvalue.StringExact(n)}))
		}
		return knownvalue.ListExact(checks)
	}
	listed := func(name string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.kuma_resources."+name, tfjsonpath.New("resources"), want)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		Steps: []resource.TestStep{{
			Config: cp.Config + `
resource "kuma_mesh" "listed" {
  name = "listed"
}
resource "kuma_mesh_service" "a" {
  mesh   = kuma_mesh.listed.name
  name   = "cart-a"
  labels = { team = "x" }
  spec {
    ports {
      port = 80
    }
  }
}
resource "kuma_mesh_service" "b" {
  mesh = kuma_mesh.listed.name
  name = "pay-b"
  spec {
    ports {
      port = 80
    }
  }
}
data "kuma_resources" "all" {
  type       = "MeshService"
  mesh       = "listed"
  depends_on = [kuma_mesh_service.a, kuma_mesh_service.b]
}
data "kuma_resources" "by_name" {
  type          = "MeshService"
  mesh          = "listed"
  name_pattern  = "pay*"
  depends_on    = [kuma_mesh_service.a, kuma_mesh_service.b]
}
data "kuma_resources" "by_label" {
  type       = "MeshService"
  mesh       = "listed"
  labels     = { team = "x", "kuma.io/mesh" = "listed" }
  depends_on = [kuma_mesh_service.a, kuma_mesh_service.b]
}`,
			ConfigStateChecks: []statecheck.StateCheck{
				listed("all", names("cart-a", "pay-b")), listed("by_name", names("pay-b")), listed("by_label", names("cart-a")),
			},
		}},
	})
}

func TestResourcesMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, "data \"kuma_resources\" \"test\" {\n  %s\n}\n", map[string]providertest.Mistake{
		"unknown kind":              {`type = "MeshTimeuot"`, `Unsupported kind .* Did you mean "MeshTimeout"\?`},
		"missing state":             {`state_file = "nowhere.tfstate"`, `Cannot read the state .* state_file = "nowhere.tfstate"`},
		"not a state":               {`state_file = "/dev/null"`, `Not a state of Terraform .* state_file = "/dev/null"`},
		"unknown attribute":         {`include = ["configurations"]`, `"configurations" is not valid. Valid values are "configuration" and "files"`},
		"unknown mesh":              {"type = \"MeshTimeout\"\n mesh = \"nowhere\"", `Mesh not found .* mesh = "nowhere"`},
		"rewriting without a mesh":  {`kuma_version = "3.0"`, `Missing mesh`},
		"rewriting of a kind":       {"kuma_version = \"3.0\"\n mesh = \"shop\"\n type = \"MeshTimeout\"", `Conflicting arguments .* type = "MeshTimeout"`},
		"rewriting for 2.14":        {"kuma_version = \"2.14\"\n mesh = \"shop\"", `Valid values: 3.0`},
		"mesh of a kind without it": {"type = \"Mesh\"\n mesh = \"shop\"", `Kind outside meshes`},
	})
}
