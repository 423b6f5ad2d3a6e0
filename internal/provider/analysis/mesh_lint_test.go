package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const misspelled = `
locals {
  documents = [<<-YAML
    type: MeshService
    name: payments
    spec: {selector: {dataplaneTags: {kuma.io/service: payments}}, ports: [{port: 80, targetPort: 80, name: http}]}
    ---
    type: MeshTimeout
    name: payments
    spec:
      targetRef: {kind: MeshSubset, tags: {team: checkout}}
      to:
        - targetRef: {kind: MeshService, name: payment}
          default: {http: {requestTimeout: 90s}}
  YAML
  ]
}
`

// TestMeshLintOfDocuments needs no control plane.
func TestMeshLintOfDocuments(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+misspelled+`
data "kuma_mesh_lint" "all" {
  documents = local.documents
}
data "kuma_mesh_lint" "ignored" {
  documents = local.documents
  ignore    = ["deprecated", "dangling-target:MeshTimeout/payments"]
}
data "kuma_mesh_lint" "group" {
  documents = local.documents
  ignore    = ["dangling-*", "deprecated:MeshTimeout/checkout"]
}
data "kuma_mesh_lint" "others" {
  documents = local.documents
  ignore    = ["dangling-target:MeshTimeout/others", "deprecated:MeshRetry/payments"]
}
data "kuma_mesh_lint" "removed" {
  documents = local.documents
  removed   = ["kri_mt_default___payments_"]
}
output "finding" {
  value = [for f in data.kuma_mesh_lint.all.findings : f if f.code == "dangling-target"][0]
}
output "counts" {
  value = [alltrue([for s, n in data.kuma_mesh_lint.all.counts : n == length([for f in data.kuma_mesh_lint.all.findings : f if f.severity == s])]), length(data.kuma_mesh_lint.all.counts)]
}
output "codes" {
  value = { for name, lint in {
    all = data.kuma_mesh_lint.all, ignored = data.kuma_mesh_lint.ignored, group = data.kuma_mesh_lint.group, others = data.kuma_mesh_lint.others, removed = data.kuma_mesh_lint.removed
  } : name => join(" ", [for f in lint.findings : f.code]) }
}
output "summary" { value = data.kuma_mesh_lint.all.summary }
`)
	if summary, want := got["summary"], `error dangling-target: MeshTimeout "payments", spec.to[0].targetRef`; !strings.Contains(tree.Text(summary), want) {
		t.Errorf("the summary does not contain %q:\n%s", want, summary)
	}
	delete(got, "summary")
	const all = "dangling-target deprecated"
	want := map[string]any{
		"codes":  map[string]any{"all": all, "ignored": "", "group": "deprecated", "others": all, "removed": ""},
		"counts": []any{true, 3.0},
		"finding": map[string]any{
			"code": "dangling-target", "severity": "error", "resource": "kri_mt_default___payments_", "type": "MeshTimeout", "name": "payments",
			"path":       "spec.to[0].targetRef",
			"message":    `There is no MeshService "payment", so this entry has no effect. Did you mean "payments"?`,
			"suggestion": "Correct the reference, or remove the entry.",
		},
	}
	testworld.Equal(t, "outputs", want, got)
}

// TestMeshLintOfPlan reads the data source during planning, with stored resources and
// with resources that are only planned.
func TestMeshLintOfPlan(t *testing.T) {
	t.Parallel()
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.EmbeddedConfig("2.14") + `
resource "kuma_mesh" "shop" {
  name = "shop"
}
variable "port" {
  default = "http"
}
resource "kuma_mesh_service" "payments" {
  mesh = kuma_mesh.shop.name
  name = "payments"
  spec {
    ports {
      port = 80
      name = "http"
    }
  }
}
resource "kuma_mesh_timeout" "payments" {
  mesh = kuma_mesh.shop.name
  name = "payments"
  spec {
    to {
      target_ref {
        kind         = "MeshService"
        name         = "payments"
        section_name = var.port
      }
      default {
        idle_timeout = "5s"
      }
    }
  }
}
locals {
  planned = [kuma_mesh.shop, kuma_mesh_service.payments, kuma_mesh_timeout.payments]
}
data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = local.planned
}
output "codes" {
  value = [for f in data.kuma_mesh_lint.shop.findings : "${f.code} ${f.name}" if f.severity == "error"]
}
output "summary" {
  value = data.kuma_mesh_lint.shop.summary
}
`})
	plan := func(port string) string {
		c.Must(t, "plan", "-out=plan", "-var", "port="+port)
		codes, _ := c.PlannedOutputs(t, "plan")["codes"].([]any)
		return fmt.Sprint(codes...)
	}
	if got := plan("http"); got != "" {
		t.Errorf("errors in the plan of a new mesh: %s", got)
	}
	c.Must(t, "apply", "plan")
	if got := plan("https"); got != "dangling-section payments" {
		t.Errorf("errors in the plan of a wrong port: %q", got)
	}
	if summary, _ := c.PlannedOutputs(t, "plan")["summary"].(string); !strings.Contains(summary, `MeshService "payments" has no port "https". It only has http.`) {
		t.Errorf("summary:\n%s", summary)
	}
}

// TestMeshLintInCheck plans the first example with a misspelled name: its check block
// shows the finding.
func TestMeshLintInCheck(t *testing.T) {
	t.Parallel()
	main := strings.Replace(testworld.Text(t, providertest.Examples+"/data-sources/kuma_mesh_lint/data-source.tf"), "labels: {app: payments}}\n          default", "labels: {app: payment}}\n          default", 1)
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + main})
	out, code := c.Run(t, "plan")
	for _, want := range []string{
		"Warning: Check block assertion failed",
		`Mesh "shop" has`,
		`error dangling-target: MeshTimeout "payments", spec.to[0].targetRef`,
		"with labels app=payment",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, want %q in\n%s", code, want, out)
		}
	}
}

// TestMeshLintKuma3 also reports what Kuma 3.0 treats differently, including resources
// of kinds that the provider does not support.
func TestMeshLintKuma3(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.BeforeKuma3)
	codes := func(output string, want ...string) statecheck.StateCheck {
		values := make([]knownvalue.Check, len(want))
		for i, w := range want {
			values[i] = knownvalue.StringExact(w)
		}
		return statecheck.ExpectKnownOutputValue(output, knownvalue.ListExact(values))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		Steps: []resource.TestStep{{
			Config: cp.Config + misspelled + `
locals {
  older = concat(local.documents, [<<-YAML
    type: TrafficPermission
    name: allow-all-default
    sources: [{match: {kuma.io/service: "*"}}]
    ---
    type: TrafficPermission
    name: allow-all-shop
    mesh: shop
    ---
    type: MeshNothing
    name: of-another-product
    ---
    type: Dataplane
    name: web-1
    labels: {kuma.io/workload: web}
    networking: {address: 10.0.0.1, inbound: [{port: 80}]}
    ---
    type: MeshTimeout
    name: first
    spec:
      targetRef: {kind: Dataplane, name: web-1}
      to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]
  YAML
  ])
}
data "kuma_mesh_lint" "documents" {
  documents = local.older
  kuma3     = true
  ignore    = ["deprecated", "older-kinds", "selects-no-proxy", "selects-nothing", "K3-06*", "K3-073"]
}
data "kuma_mesh_lint" "ignored" {
  documents = local.older
  kuma3     = true
  ignore    = ["deprecated", "older-kinds", "selects-no-proxy", "selects-nothing", "dangling-target", "K3-00*", "K3-020:MeshTimeout/payments", "K3-060", "K3-073", "K3-102:TrafficPermission/allow-all-default"]
}
data "kuma_mesh_lint" "today" {
  documents = local.older
  ignore    = ["deprecated", "older-kinds", "selects-no-proxy", "selects-nothing"]
}
resource "kuma_mesh" "shop" {
  name                           = "shop"
  skip_creating_initial_policies = ["*"]
}
data "kuma_mesh_lint" "stored" {
  mesh  = kuma_mesh.shop.name
  kuma3 = true
}
output "documents" {
  value = [for f in data.kuma_mesh_lint.documents.findings : "${f.severity} ${f.code} ${f.name}"]
}
output "ignored" {
  value = [for f in data.kuma_mesh_lint.ignored.findings : f.code]
}
output "today" {
  value = [for f in data.kuma_mesh_lint.today.findings : f.code]
}
output "stored" {
  value = [for f in data.kuma_mesh_lint.stored.findings : f.code]
}`,
			ConfigStateChecks: []statecheck.StateCheck{
				codes("documents",
					"error dangling-target payments", "warning K3-006 first", "warning K3-001 payments", "warning K3-020 payments", "warning K3-102 allow-all-default"),
				codes("ignored"),
				codes("today", "dangling-target"),
				codes("stored", "K3-073"),
			},
		}},
	})
}

func TestMeshLintMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, "data \"kuma_mesh_lint\" \"test\" {\n%s\n}\n", map[string]providertest.Mistake{
		"unknown code": {
			`ignore = ["dangling-targets"]`,
			`Unknown finding code .* "dangling-targets" is not the code of a finding\. Did you mean "dangling-target"\?`,
		},
		"group without codes": {
			`ignore = ["dangel-*"]`,
			`Unknown finding code .* "dangel-\*" is not the code of a finding`,
		},
		"several codes": {
			`ignore = ["dangling"]`,
			`Unknown finding code .* "dangling" is not the code of a finding\. Did you mean "dangling-\*"\?`,
		},
		"code without a resource": {
			`ignore = ["deprecated:payments"]`,
			`Invalid resource .* "payments" is not a valid resource\. Write its kind and name`,
		},
		"unknown kind": {
			`ignore = ["deprecated:MeshTimeouts/payments"]`,
			`Unknown kind .* Did you mean "MeshTimeout"\?`,
		},
		"unknown mesh": {
			`mesh = "nowhere"`,
			`Mesh not found .* Mesh "nowhere" is neither stored nor planned`,
		},
	})
}
