package analysis_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// onlyKuma2 is a policy that Kuma 2.14 applies to one proxy of two, and Kuma 3.0 to both.
const onlyKuma2 = `
resource "kuma_mesh" "shop" {
  name                           = "shop"
  skip_creating_initial_policies = ["*"]
}

resource "kuma_dataplane" "all" {
  for_each = { web-1 = "web", api-1 = "api" }
  mesh     = kuma_mesh.shop.name
  name     = each.key
  labels   = { app = each.value }
  networking {
    address = "10.0.0.1"
    inbound {
      port = 8080
      tags = { "kuma.io/service" = each.value }
    }
  }
}

resource "kuma_mesh_timeout" "web" {
  mesh = kuma_mesh.shop.name
  name = "web"
  spec {
    target_ref {
      kind = "Dataplane"
      name = kuma_dataplane.all["web-1"].name
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout = "7s"
      }
    }
  }
}
`

// TestAnalysesAsAnotherRelease checks that analyses show what stored resources, documents
// and whole resources do after an upgrade of the control plane.
func TestAnalysesAsAnotherRelease(t *testing.T) {
	t.Parallel()
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + `
provider "kuma" {
  embedded {
    directory    = "${path.root}/mesh"
    zone         = "zone-1"
    kuma_version = "2.14"
  }
}
` + onlyKuma2})
	c.Must(t, "apply", "-auto-approve")
	providertest.Write(t, c.Dir+"/analyses.tf", `
data "kuma_resources" "shop" { mesh = "shop" }

locals {
  documents = data.kuma_resources.shop.resources[*].document
  three     = { kuma_version = "3.0" }
}

data "kuma_effective_rules" "today" {
  mesh      = "shop"
  dataplane = "api-1"
}

data "kuma_effective_rules" "three" {
  mesh         = "shop"
  dataplane    = "api-1"
  kuma_version = "3.0"
}

data "kuma_effective_rules" "documents" {
  mesh         = "shop"
  dataplane    = "api-1"
  documents    = local.documents
  kuma_version = "3.0"
}

data "kuma_policy_impact" "three" {
  mesh         = "shop"
  kuma_version = "3.0"
}

data "kuma_policy_impact" "documents" {
  mesh         = "shop"
  documents    = local.documents
  kuma_version = "3.0"
}

data "kuma_mesh_lint" "three" {
  mesh         = "shop"
  kuma_version = "3.0"
}

output "today" { value = data.kuma_effective_rules.today.explanation }
output "rules" {
  value = distinct([
    data.kuma_effective_rules.three.explanation,
    data.kuma_effective_rules.documents.explanation,
    provider::kuma::effective_rules(local.documents, { mesh = "shop", dataplane = "api-1", types = ["MeshTimeout"] }, local.three).explanation,
  ])
}
output "impact" {
  value = distinct([
    data.kuma_policy_impact.three.summary,
    data.kuma_policy_impact.documents.summary,
    provider::kuma::policy_impact(local.documents, local.documents, "shop", local.three).summary,
  ])
}
output "lint" {
  value = distinct([
    data.kuma_mesh_lint.three.summary,
    provider::kuma::mesh_lint(local.documents, "shop", local.three).summary,
  ])
}
output "conditions" {
  value = distinct([
    provider::kuma::mesh_lint(local.documents, "shop", { kuma3 = true }).counts_per_code,
    provider::kuma::mesh_lint(local.documents, "shop", { kuma3 = true, kuma_version = "3.0" }).counts_per_code,
  ])
}
output "unchanged" { value = provider::kuma::policy_impact(local.documents, local.documents, "shop").dataplanes_changed }
`)
	c.Must(t, "plan", "-out=plan")
	got := c.PlannedOutputs(t, "plan")
	const caveat = "Computed as Kuma 3.0 reads what Kuma 2.14 has stored. It does not read networking.inbound[].tags of 2 resources of kind Dataplane, skipCreatingInitialPolicies of Mesh \"shop\" and spec.targetRef.name of MeshTimeout \"web\".\n\n"
	for _, name := range []string{"rules", "impact", "lint"} {
		texts, _ := got[name].([]any)
		if len(texts) != 1 {
			t.Fatalf("%s: data sources and function differ: %q", name, texts)
		}
		if got[name] = texts[0]; !strings.HasPrefix(tree.Text(got[name]), caveat) {
			t.Errorf("%s: %s\nwant it to begin with %q", name, got[name], caveat)
		}
	}
	for name, want := range map[string]string{
		"today":  "No policy has settings for this proxy.",
		"rules":  "idleTimeout = 7s",
		"impact": "1 of 2 dataplanes change.",
		"lint":   "no findings",
	} {
		if !strings.Contains(tree.Text(got[name]), want) {
			t.Errorf("%s: %s\nwant it to contain %q", name, got[name], want)
		}
	}
	if conditions, _ := got["conditions"].([]any); len(conditions) != 1 {
		t.Errorf("conditions for Kuma 3.0 differ by the release that reads the documents: %v", conditions)
	}
	testworld.Equal(t, "impact of nothing", []any{}, got["unchanged"])
}

// TestDocumentsAsTheirRelease checks that documents without a control plane are those of
// the newest release that has everything in them.
func TestDocumentsAsTheirRelease(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+`
locals {
  labels  = "{type: Dataplane, name: web-1, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}"
  tags    = "{type: Dataplane, name: web-1, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}"
  timeout = "{type: MeshTimeout, name: t, spec: {targetRef: {kind: Dataplane, labels: {app: web}}, to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: api}}, default: {idleTimeout: 7s}}]}}"
  api     = "{type: MeshService, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80}]}}"
}
output "newest" { value = keys(provider::kuma::effective_rules([local.labels, local.timeout, local.api], { dataplane = "web-1", types = ["MeshTimeout"] }).conf["MeshTimeout"]) }
output "older" { value = keys(provider::kuma::effective_rules([local.tags, local.timeout, local.api], { dataplane = "web-1", types = ["MeshTimeout"] }).conf["MeshTimeout"]) }
output "requested" { value = keys(provider::kuma::effective_rules([local.labels, local.timeout, local.api], { dataplane = "web-1", types = ["MeshTimeout"] }, { kuma_version = "2.14" }).conf["MeshTimeout"]) }
`)
	// Kuma 3.0 adds the label kuma.io/display-name, by which the policy finds the service.
	found, none := []any{"kri_msvc_default___api_"}, []any{}
	testworld.Equal(t, "destinations", map[string]any{"newest": found, "older": none, "requested": none}, got)
}

func TestUnknownKumaVersion(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for _, name := range []string{"kuma_access", "kuma_effective_rules", "kuma_policy_impact", "kuma_mesh_lint"} {
		arguments := ""
		if name == "kuma_effective_rules" {
			arguments = "dataplane = \"web-1\""
		}
		t.Run(name, func(t *testing.T) {
			providertest.CheckMistakes(t, "data \""+name+"\" \"test\" {\n  "+arguments+"\n  documents = []\n  kuma_version = %s\n}\n", map[string]providertest.Mistake{
				"too new": {`"3.1"`, `"3\.1" is not a release of Kuma whose matching of policies is known\. Write a release from 2\.9 to 3\.0, such as "3\.0"\.`},
				"too old": {`"1.8"`, `Unknown release of Kuma`},
			})
		})
	}
}
