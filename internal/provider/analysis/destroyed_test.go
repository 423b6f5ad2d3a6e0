package analysis_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// destroyedWorld is a mesh with a timeout for each way in which a plan can destroy it.
var destroyedWorld = map[string]string{
	"main.tf": `
resource "kuma_mesh" "shop" {
  name                           = "shop"
  skip_creating_initial_policies = ["*"]
}
resource "kuma_dataplane" "web" {
  for_each = toset(["web-1"])
  mesh     = kuma_mesh.shop.name
  name     = each.key
  networking {
    address = "10.0.0.5"
    inbound {
      port = 8080
      tags = { "kuma.io/service" = "web" }
    }
  }
}
resource "kuma_dataplane" "db" {
  mesh = kuma_mesh.shop.name
  name = "db-1"
  networking {
    address = "10.0.0.6"
    inbound {
      port = 8080
      tags = { "kuma.io/service" = "db" }
    }
  }
}`,
	"counted.tf": timeoutBlock("counted", "count = 1", "connection_timeout = \"1s\""),
	"keyed.tf":   timeoutBlock("keyed", "for_each = toset([\"keyed\"])", "idle_timeout = \"2s\""),
	"block.tf":   timeoutBlock("block", "", "http {\n request_timeout = \"3s\"\n}"),
	"module.tf":  "module \"team\" {\n  source = \"./team\"\n}\n",
	"impact.tf": `
locals {
  planned = concat([kuma_mesh.shop, kuma_dataplane.db], values(kuma_dataplane.web))
}
data "kuma_policy_impact" "shop" {
  mesh    = "shop"
  planned = local.planned
}
output "impact" {
  value = {
    gone    = data.kuma_policy_impact.shop.dataplanes_removed
    changes = distinct([for c in data.kuma_policy_impact.shop.changes : "${join(" ", c.dataplanes)} ${c.path} ${coalesce(c.before, "-")} ${coalesce(c.after, "-")}"])
  }
}`,
}

// timeoutBlock is a timeout with one setting for everything in the mesh.
func timeoutBlock(name, repeated, setting string) string {
	return `
resource "kuma_mesh_timeout" "` + name + `" {
  ` + repeated + `
  mesh = "shop"
  name = "` + name + `"
  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        ` + setting + `
      }
    }
  }
}
`
}

// destroyedWorldUnchanged is the impact of nothing.
var destroyedWorldUnchanged = map[string]any{"gone": []any{}, "changes": []any{}}

// removedBlock lets go of the timeout "block".
func removedBlock(destroy string) string {
	return "removed {\n  from = kuma_mesh_timeout.block\n  lifecycle {\n    destroy = " + destroy + "\n  }\n}\n"
}

// lost is the impact of the loss of a timeout.
func lost(path, value string) map[string]any {
	return map[string]any{"gone": []any{}, "changes": []any{"db-1 web-1 " + path + ` "` + value + `" -`}}
}

// newDestroyedWorld returns the applied mesh, with changed files.
func newDestroyedWorld(t *testing.T, changed map[string]string) providertest.CLI {
	t.Helper()
	return newDestroyedWorldOn(t, providertest.NewControlPlane(t, providertest.Writes(kinds.Dataplane)), changed)
}

func newDestroyedWorldOn(t *testing.T, cp providertest.ControlPlane, changed map[string]string) providertest.CLI {
	t.Helper()
	files := maps.Clone(destroyedWorld)
	maps.Copy(files, changed)
	files["provider.tf"] = providertest.RequiredProvider + cp.Config
	files["main.tf"] = cp.Adapted(files["main.tf"])
	c := providertest.NewCLI(t, map[string]string{"main.tf": files["main.tf"], "provider.tf": files["provider.tf"]})
	testworld.NoError(t, os.Mkdir(filepath.Join(c.Dir, "team"), 0o700))
	providertest.Write(t, filepath.Join(c.Dir, "team", "main.tf"), providertest.RequiredProvider+timeoutBlock("team", "", "http {\n stream_idle_timeout = \"4s\"\n}"))
	c.Must(t, "apply", "-auto-approve") // the mesh comes before what refers to it by a string
	for name, text := range files {
		providertest.Write(t, filepath.Join(c.Dir, name), text)
	}
	c.Must(t, "get")
	c.Must(t, "apply", "-auto-approve")
	return c
}

// TestImpactOfDestroy checks that the impact does not include resources that the plan
// destroys.
func TestImpactOfDestroy(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	tests := map[string]struct {
		file, old, new string
		want           map[string]any
	}{
		"nothing":                   {"main.tf", "web-1", "web-1", destroyedWorldUnchanged},
		"count is zero":             {"counted.tf", "count = 1", "count = 0", lost("connectionTimeout", "1s")},
		"key leaves for_each":       {"keyed.tf", `["keyed"]`, "[]", lost("idleTimeout", "2s")},
		"block is removed":          {"block.tf", destroyedWorld["block.tf"], "", lost("http.requestTimeout", "3s")},
		"removed with destroy":      {"block.tf", destroyedWorld["block.tf"], removedBlock("true"), lost("http.requestTimeout", "3s")},
		"removed without destroy":   {"block.tf", destroyedWorld["block.tf"], removedBlock("false"), destroyedWorldUnchanged},
		"module is removed":         {"module.tf", destroyedWorld["module.tf"], "", lost("http.streamIdleTimeout", "4s")},
		"dataplane is renamed":      {"main.tf", `"db-1"`, `"db-2"`, map[string]any{"gone": []any{"db-1"}, "changes": []any{}}},
		"dataplane gets a new key":  {"main.tf", `["web-1"]`, `["web-2"]`, map[string]any{"gone": []any{"web-1"}, "changes": []any{}}},
		"dataplane leaves for_each": {"main.tf", `["web-1"]`, `[]`, map[string]any{"gone": []any{"web-1"}, "changes": []any{}}},
	}
	c := newDestroyedWorld(t, nil)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(c.Dir, tt.file)
			text := testworld.Text(t, file)
			defer providertest.Write(t, file, text)
			providertest.Write(t, file, testworld.Edited(t, text, tt.old, tt.new))
			out := c.Must(t, "plan", "-out=plan")
			if diff := cmp.Diff(tt.want, c.PlannedOutputs(t, "plan")["impact"]); diff != "" {
				t.Errorf("impact (-want +got):\n%s\n%s", diff, out)
			}
			if strings.Contains(out, "not covered by an analysis") {
				t.Errorf("the plan warns:\n%s", out)
			}
		})
	}
}

// TestDestroyAfterAnalysis checks that a destroy planned after an analysis was read
// has a warning that names the analysis.
func TestDestroyAfterAnalysis(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	// Terraform cannot plan it before it has read the data source.
	late := "variable \"late\" {\n  default = true\n}\n" +
		timeoutBlock("late", `count = var.late && data.kuma_policy_impact.shop.mesh == "shop" ? 1 : 0`, `connection_timeout = "7s"`)
	c := newDestroyedWorld(t, map[string]string{"counted.tf": late})
	out := c.Must(t, "plan", "-out=plan", "-var", "late=false")
	testworld.Equal(t, "impact", destroyedWorldUnchanged, c.PlannedOutputs(t, "plan")["impact"])
	text := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"Warning: Destroy not covered by an analysis",
		`planned to destroy MeshTimeout "late" of mesh "shop" after it had read kuma_policy_impact of mesh "shop"`,
		`add "kri_mt_shop_zone-1__late_" to removed`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan does not say %q:\n%s", want, out)
		}
	}
	if out := c.Must(t, "destroy", "-auto-approve"); strings.Contains(out, "Destroy not covered") {
		t.Errorf("destroying everything warns:\n%s", out)
	}
}

// TestLintOfDestroy checks that lint and effective rules exclude resources that the
// plan destroys.
func TestLintOfDestroy(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const service = `
resource "kuma_mesh_service" "payments" {
  mesh   = "shop"
  name   = "payments"
  labels = { app = "payments" }
  spec {
    ports {
      port = 80
      name = "http"
    }
  }
}
`
	c := newDestroyedWorld(t, map[string]string{"service.tf": service, "impact.tf": `
resource "kuma_mesh_timeout" "payments" {
  mesh = "shop"
  name = "payments"
  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "payments" }
      }
      default {
        connection_timeout = "9s"
      }
    }
  }
}
locals { planned = [kuma_mesh_timeout.payments] }
data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = local.planned
}
data "kuma_effective_rules" "web" {
  mesh      = "shop"
  dataplane = "web-1"
  planned   = local.planned
}
output "codes" { value = join(" ", [for f in data.kuma_mesh_lint.shop.findings : f.code if f.severity == "error"]) }
output "rules" { value = length(regexall("9s", data.kuma_effective_rules.web.explanation)) }`})
	plan := func(codes string, rules float64) {
		t.Helper()
		c.Must(t, "plan", "-out=plan")
		testworld.Equal(t, "outputs", map[string]any{"codes": codes, "rules": rules}, c.PlannedOutputs(t, "plan"))
	}
	plan("", 1)
	providertest.Write(t, filepath.Join(c.Dir, "service.tf"), "")
	plan("dangling-target", 0)
}

// TestPlanWarnsOfUncoveredChanges checks that a change is named which no list of planned resources
// has, whether Terraform plans it before or after the analysis, and only such a change.
func TestPlanWarnsOfUncoveredChanges(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const mesh = `
resource "kuma_mesh" "shop" {
  name = "shop"
}
`
	impact := func(planned string) string {
		return "locals {\n planned = [" + planned + "]\n}\ndata \"kuma_policy_impact\" \"shop\" {\n mesh = \"shop\"\n planned = local.planned\n}\n"
	}
	c := providertest.Example(t, map[string]string{
		"mesh.tf": mesh, "a.tf": timeoutBlock("a", "depends_on = [kuma_mesh.shop]", `idle_timeout = "1s"`), "b.tf": timeoutBlock("b", "depends_on = [kuma_mesh.shop]", `idle_timeout = "1s"`),
	})
	c.Must(t, "apply", "-auto-approve")
	const warning = "Change not covered by an analysis"
	for name, test := range map[string]struct {
		after, planned string // b depends on the data source, so that Terraform plans it later
		want           bool
	}{
		"planned first":         {"", "kuma_mesh_timeout.a", true},
		"planned later":         {"depends_on = [data.kuma_policy_impact.shop]", "kuma_mesh_timeout.a", true},
		"covered":               {"", "kuma_mesh_timeout.a, kuma_mesh_timeout.b", false},
		"covered with the mesh": {"", "kuma_mesh.shop, kuma_mesh_timeout.a, kuma_mesh_timeout.b", false},
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // they share the configuration
			for _, timeout := range []string{"a", "b"} {
				repeated := "depends_on = [kuma_mesh.shop]"
				if timeout == "b" && test.after != "" {
					repeated = test.after
				}
				providertest.Write(t, filepath.Join(c.Dir, timeout+".tf"), timeoutBlock(timeout, repeated, `idle_timeout = "2s"`))
			}
			providertest.Write(t, filepath.Join(c.Dir, "impact.tf"), impact(test.planned))
			out := providertest.Unwrapped(c.Must(t, "plan"))
			if got := strings.Contains(out, warning); got != test.want {
				t.Errorf("warned: %t, want %t:\n%s", got, test.want, out)
			}
			if test.want && !strings.Contains(out, `MeshTimeout "b"`) {
				t.Errorf("the warning does not name the resource:\n%s", out)
			}
		})
	}
}
