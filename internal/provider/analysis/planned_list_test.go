package analysis_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestPlannedIsNotAList checks that the plan reports known parts of planned that are not
// resources, although the data source is only read during the apply.
func TestPlannedIsNotAList(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const (
		timeout = `
resource "kuma_mesh_timeout" "web" {
  mesh = kuma_mesh.shop.name
  name = "web"
  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout = "1h"
      }
    }
  }
}
`
		invalid = "Invalid value for planned"
		element = "Invalid planned resource"
	)
	for name, test := range map[string]struct{ dataSource, arguments, want string }{
		"a string":                      {"kuma_policy_impact", "planned = \"web\"", invalid},
		"a string with an unknown part": {"kuma_policy_impact", "planned = \"web-${terraform_data.late.output}\"", invalid},
		"an object":                     {"kuma_effective_rules", "planned = { web = kuma_mesh_timeout.web }\n  dataplane = \"x\"", invalid},
		"a list of lists":               {"kuma_mesh_lint", "planned = [[kuma_mesh_timeout.web]]", element},
		"a name among the resources":    {"kuma_policy_impact", "planned = [kuma_mesh_timeout.web, \"web\"]", element},
		"an unknown kind of document":   {"kuma_mesh_lint", "planned = [kuma_mesh_timeout.web, { type = \"MeshTimeuot\", name = \"x\" }]", element},
		"an invalid document":           {"kuma_mesh_lint", "planned = [kuma_mesh_timeout.web, { type = \"MeshTimeout\", mesh = \"shop\", name = \"x\", spec = {} }]", element},
		"a list of resources":           {"kuma_mesh_lint", "planned = [kuma_mesh_timeout.web]", ""},
		"a document with a known part":  {"kuma_mesh_lint", "planned = [{ type = \"MeshTimeout\", mesh = \"shop\", name = kuma_mesh_timeout.web.name, spec = {} }]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewEmbedded(t)
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + providertest.SharedMesh + timeout + "resource \"terraform_data\" \"late\" {\n  input = 1\n}\ndata \"" + test.dataSource + "\" \"x\" {\n  mesh = \"shop\"\n  " + test.arguments + "\n}\n"})
			out, code := c.Run(t, "plan")
			if (code == 0) != (test.want == "") || !strings.Contains(out, test.want) {
				t.Errorf("exit code %d, want %q in\n%s", code, test.want, out)
			}
		})
	}
}
