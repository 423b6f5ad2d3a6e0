package analysis_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// delegatedGateway has a policy that selects a delegated gateway by kind Dataplane, which
// control planes before 2.14.0, 2.13.3 and 2.12.8 do not select so.
const delegatedGateway = `
locals {
  planned = [
    { type = "Mesh", name = "default", skipCreatingInitialPolicies = ["*"] },
    { type = "Dataplane", name = "edge", mesh = "default", networking = { address = "10.0.0.1", gateway = { tags = { "kuma.io/service" = "edge" } } } },
    { type = "MeshTimeout", name = "slow", mesh = "default", spec = { targetRef = { kind = "Dataplane" }, to = [{ targetRef = { kind = "Mesh" }, default = { idleTimeout = "7s" } }] } },
  ]
}

data "kuma_effective_rules" "edge" {
  dataplane = "edge"
  planned   = local.planned
}

data "kuma_effective_rules" "all" {
  planned = local.planned
  dataplanes {}
}

data "kuma_policy_impact" "default" {
  planned = local.planned
}

data "kuma_mesh_lint" "default" {
  planned = local.planned
}

output "answers" {
  value = join("\n", concat([
    "RULES ${data.kuma_effective_rules.edge.explanation}",
    "GROUPS ${data.kuma_effective_rules.all.explanation}",
    "LINT ${data.kuma_mesh_lint.default.summary}",
    "IMPACT ${data.kuma_policy_impact.default.summary}",
  ], [for p in data.kuma_policy_impact.default.without_effect : "WITHOUT EFFECT ${p.name} ${p.reason}"]))
}
`

// TestAnalysesMatchLikeTheRelease checks that the analyses match policies as the control
// plane does, and say so if that is not known or was not compared.
func TestAnalysesMatchLikeTheRelease(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const (
		selected    = `RULES {CAVEAT}MeshTimeout to Mesh "default" idleTimeout = 7s`
		notSelected = "WITHOUT EFFECT slow selects no dataplane"
		unknown     = "Warning: Matching of policies not known"
	)
	documented := func(release string) string {
		return "Computed as documented for Kuma " + release + ": results were only compared with control planes of Kuma 2.9, 2.11, 2.14 and 3.0. "
	}
	for version, test := range map[string]struct {
		caveat  string
		want    string
		unknown bool
	}{
		"2.11.18": {"", notSelected, false},
		"2.13.2":  {documented("2.13"), notSelected, false},
		"2.13.3":  {documented("2.13"), selected, false},
		"2.14.3":  {"", selected, false},
		"2.15.0":  {"Computed as for Kuma 2.14: it is not known how Kuma 2.15 matches policies. ", selected, true},
		"unknown": {"Computed as for Kuma 2.14: the control plane does not report a release of Kuma. ", selected, true},
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			cp := &providertest.OtherRelease{Version: version}
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Start(t) + delegatedGateway})
			out, code := c.Run(t, "plan")
			if code != 0 {
				t.Fatalf("exit code %d\n%s", code, out)
			}
			flat := strings.Join(strings.Fields(out), " ")
			for _, answer := range []string{"RULES", "GROUPS", "LINT", "IMPACT"} {
				if says := strings.Contains(flat, answer+" Computed "); says != (test.caveat != "") || !strings.Contains(flat, answer+" "+test.caveat) {
					t.Errorf("%s does not begin with %q in:\n%s", answer, test.caveat, out)
				}
			}
			if want := strings.ReplaceAll(test.want, "{CAVEAT}", test.caveat); !strings.Contains(flat, want) {
				t.Errorf("%q is missing in:\n%s", want, out)
			}
			if warns := strings.Contains(flat, unknown); warns != test.unknown {
				t.Errorf("warning about the release: %t, want %t, in:\n%s", warns, test.unknown, out)
			}
		})
	}
}

// TestInitialPoliciesOfOlderRelease checks that the initial policies of a planned mesh
// have no origin before 2.14, so that planned policies with the same top-level reference
// override them whatever their name is.
func TestInitialPoliciesOfOlderRelease(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const config = `
data "kuma_effective_rules" "web" {
  dataplane = "web"
  types     = ["MeshCircuitBreaker"]
  planned = [
    { type = "Mesh", name = "new" },
    { type = "Dataplane", name = "web", mesh = "new", networking = { address = "10.0.0.1", inbound = [{ port = 80, tags = { "kuma.io/service" = "web" } }] } },
    { type = "MeshCircuitBreaker", name = "zzz", mesh = "new", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { connectionLimits = { maxRetries = 9 } } }] } },
  ]
  mesh = "new"
}

output "explanation" {
  value = data.kuma_effective_rules.web.explanation
}
`
	for version, want := range map[string]string{"2.11.18": "connectionLimits.maxRetries = 9 ← zzz", "2.14.3": "connectionLimits.maxRetries = 3 ← mesh-circuit-breaker-all-new"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			cp := &providertest.OtherRelease{Version: version}
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Start(t) + config})
			if out, code := c.Run(t, "plan"); code != 0 || !strings.Contains(out, want) {
				t.Errorf("exit code %d, %q is missing in:\n%s", code, want, out)
			}
		})
	}
}

// TestPlannedIsNotAList checks that the plan reports known parts of planned that are not
// resources, although the data source is only read during the apply.
func TestPlannedIsNotAList(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	timeout := timeoutBlock("web", "depends_on = [kuma_mesh.shop]", `idle_timeout = "1h"`)
	const (
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
