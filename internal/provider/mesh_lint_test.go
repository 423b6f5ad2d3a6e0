package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

const misspelt = `
locals {
  documents = [<<-YAML
    type: MeshService
    name: payments
    spec: {ports: [{port: 80, name: http}]}
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

// TestMeshLintOfDocuments needs no control plane. What prepares for Kuma 3.0 is
// left out: it is tested where it is found.
func TestMeshLintOfDocuments(t *testing.T) {
	needCLI(t)
	t.Setenv("KUMA_ENDPOINT", "")
	const address = "data.kuma_mesh_lint.test"
	counts := func(address string, errors, warnings, infos int64) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New("counts"), knownvalue.MapExact(map[string]knownvalue.Check{
			"error": knownvalue.Int64Exact(errors), "warning": knownvalue.Int64Exact(warnings), "info": knownvalue.Int64Exact(infos),
		}))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config: misspelt + `
data "kuma_mesh_lint" "test" {
  documents = local.documents
}
data "kuma_mesh_lint" "ignored" {
  documents = local.documents
  ignore    = ["deprecated", "dangling-target:MeshTimeout/payments"]
}
data "kuma_mesh_lint" "other" {
  documents = local.documents
  ignore    = ["dangling-target:MeshTimeout/others", "deprecated:MeshRetry/payments"]
}
data "kuma_mesh_lint" "removed" {
  documents = local.documents
  removed   = ["kri_mt_default___payments_"]
}`,
			ConfigStateChecks: []statecheck.StateCheck{
				counts(address, 1, 0, 1),
				counts("data.kuma_mesh_lint.ignored", 0, 0, 0),
				counts("data.kuma_mesh_lint.other", 1, 0, 1),
				counts("data.kuma_mesh_lint.removed", 0, 0, 0),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("findings").AtSliceIndex(0), knownvalue.ObjectExact(map[string]knownvalue.Check{
					"code": knownvalue.StringExact("dangling-target"), "severity": knownvalue.StringExact("error"),
					"resource": knownvalue.StringExact("kri_mt_default___payments_"), "type": knownvalue.StringExact("MeshTimeout"), "name": knownvalue.StringExact("payments"),
					"path":       knownvalue.StringExact("spec.to[0].targetRef"),
					"message":    knownvalue.StringExact(`There is no MeshService "payment", so this entry has no effect. Did you mean "payments"?`),
					"suggestion": knownvalue.StringExact("Correct the reference, or remove the entry."),
				})),
				statecheck.ExpectKnownValue("data.kuma_mesh_lint.ignored", tfjsonpath.New("summary"), knownvalue.StringExact(`Mesh "default" has no findings.`)),
			},
		}},
	})
}

// TestMeshLintOfPlan reads the data source when planning, with what is stored and
// what is only planned.
func TestMeshLintOfPlan(t *testing.T) {
	needCLI(t)
	t.Setenv("KUMA_ENDPOINT", "")
	c := newCLI(t, map[string]string{"main.tf": `
terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}
provider "kuma" {
  embedded {
    directory = "mesh"
  }
}
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
		c.must(t, "plan", "-out=plan", "-var", "port="+port)
		codes, _ := c.plannedOutputs(t, "plan")["codes"].([]any)
		var out []string
		for _, v := range codes {
			s, _ := v.(string)
			if !strings.HasPrefix(s, "K3-") {
				out = append(out, s)
			}
		}
		return strings.Join(out, ", ")
	}
	if got := plan("http"); got != "" {
		t.Errorf("errors in the plan of a new mesh: %s", got)
	}
	c.must(t, "apply", "plan")
	if got := plan("https"); got != "dangling-section payments" {
		t.Errorf("errors in the plan of a wrong port: %q", got)
	}
	if summary, _ := c.plannedOutputs(t, "plan")["summary"].(string); !strings.Contains(summary, `MeshService "payments" has no port "https". It has http.`) {
		t.Errorf("summary:\n%s", summary)
	}
}

func TestMeshLintMistakes(t *testing.T) {
	needCLI(t)
	for name, test := range map[string]struct{ config, want string }{
		"unknown code": {
			`ignore = ["dangling-targets"]`,
			`Unknown code .* "dangling-targets" is no code of a finding\. Did you mean "dangling-target"\?`,
		},
		"code without a resource": {
			`ignore = ["deprecated:payments"]`,
			`Not a resource .* "payments" is no resource\. Write its kind and name`,
		},
		"unknown kind": {
			`ignore = ["deprecated:MeshTimeouts/payments"]`,
			`Unknown kind .* Did you mean "MeshTimeout"\?`,
		},
		"unknown mesh": {
			`mesh = "nowhere"`,
			`There is no such mesh .* Mesh "nowhere" is neither stored nor planned`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			fails(t, s.config+"data \"kuma_mesh_lint\" \"test\" {\n"+test.config+"\n}", test.want)
			s.untouched(t)
		})
	}
}
