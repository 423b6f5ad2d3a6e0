package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

const documents = `
locals {
  documents = [<<-YAML
    type: Dataplane
    name: web-1
    networking:
      address: 10.0.0.5
      inbound: [{port: 8080, tags: {kuma.io/service: web}}]
    ---
    type: MeshService
    name: payments
    spec: {ports: [{port: 80, name: http}]}
    ---
    type: MeshTimeout
    name: payments
    spec:
      to:
        - targetRef: {kind: MeshService, name: payments}
          default: {http: {requestTimeout: 90s}}
    ---
    type: MeshTimeout
    name: weaker
    spec:
      to:
        - targetRef: {kind: MeshService, name: payments}
          default: {http: {requestTimeout: 10s}}
  YAML
  ]
}
`

// TestEffectiveRulesOfDocuments needs no control plane.
func TestEffectiveRulesOfDocuments(t *testing.T) {
	needCLI(t)
	t.Setenv("KUMA_ENDPOINT", "")
	const address = "data.kuma_effective_rules.test"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config: documents + `
data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = local.documents
}
data "kuma_effective_rules" "removed" {
  dataplane = "web-1"
  documents = local.documents
  removed   = ["kri_mt_default___payments_", "kri_mt_default___weaker_"]
}
data "kuma_effective_rules" "renamed" {
  dataplane = "web-1"
  documents = [replace(local.documents[0], "name: weaker", "name: q-weaker")]
}
data "kuma_effective_rules" "others" {
  dataplane = "web-1"
  documents = local.documents
  types     = ["MeshRetry", "MeshHTTPRoute"]
}`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, tfjsonpath.New("conf"), knownvalue.ObjectExact(map[string]knownvalue.Check{
					"MeshTimeout": knownvalue.ObjectExact(map[string]knownvalue.Check{
						"kri_msvc_default___payments_": knownvalue.ObjectExact(map[string]knownvalue.Check{
							"http": knownvalue.ObjectExact(map[string]knownvalue.Check{"requestTimeout": knownvalue.StringExact("1m30s")}),
						}),
					}),
				})),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("rules").AtSliceIndex(0).AtMapKey("to_resource_rules").AtSliceIndex(0).AtMapKey("origin").AtSliceIndex(0).AtMapKey("rule_index"), knownvalue.Int64Exact(0)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("explain"), knownvalue.ListExact([]knownvalue.Check{
					knownvalue.ObjectExact(map[string]knownvalue.Check{
						"type": knownvalue.StringExact("MeshTimeout"), "kri": knownvalue.StringExact("kri_msvc_default___payments_"),
						"path": knownvalue.StringExact("http.requestTimeout"), "value": knownvalue.StringExact(`"1m30s"`),
						"set_by": knownvalue.ObjectExact(map[string]knownvalue.Check{
							"name": knownvalue.StringExact("payments"), "kri": knownvalue.StringExact("kri_mt_default___payments_"), "rule_index": knownvalue.Int64Exact(0),
						}),
						"overridden": knownvalue.ListSizeExact(1),
					}),
				})),
				statecheck.CompareValuePairs(address, tfjsonpath.New("digest"), "data.kuma_effective_rules.renamed", tfjsonpath.New("digest"), compare.ValuesSame()),
				statecheck.CompareValuePairs(address, tfjsonpath.New("digest"), "data.kuma_effective_rules.removed", tfjsonpath.New("digest"), compare.ValuesDiffer()),
				statecheck.ExpectKnownValue("data.kuma_effective_rules.others", tfjsonpath.New("rules"), knownvalue.ListSizeExact(0)),
				statecheck.ExpectKnownValue("data.kuma_effective_rules.removed", tfjsonpath.New("rules"), knownvalue.ListSizeExact(0)),
			},
		}},
	})
}

func TestEffectiveRulesMistakes(t *testing.T) {
	needCLI(t)
	for name, test := range map[string]struct{ config, want string }{
		"unknown dataplane": {
			documents + `data "kuma_effective_rules" "test" {
  dataplane = "web-2"
  documents = local.documents
}`,
			`There is no such dataplane .* dataplane = "web-2" .* The mesh has web-1\.`,
		},
		"unknown stored dataplane": {
			`data "kuma_effective_rules" "test" {
  mesh      = "nowhere"
  dataplane = "web-2"
}`,
			`There is no such mesh .* mesh = "nowhere"`,
		},
		"documents that are no YAML": {
			`data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = ["type: [Mesh"]
}`,
			`The documents are no YAML .* documents = .* Line 1: did not find`,
		},
		"document without name": {
			`data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = ["type: MeshTimeout"]
}`,
			`Invalid document .* Document 1: MeshTimeout: name is missing`,
		},
		"invalid document": {
			`data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = ["{type: MeshTimeout, name: web, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1d}}]}}"]
}`,
			`Invalid idleTimeout .* spec\.to\[0\]\.default\.idleTimeout`,
		},
		"planned is no resource": {
			documents + `data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = local.documents
  planned   = ["kuma_mesh_timeout.web"]
}`,
			`Not a resource of this provider`,
		},
		"planned is no list": {
			documents + `data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = local.documents
  planned   = { a = 1 }
}`,
			`planned must be a list`,
		},
		"unknown kind of policy": {
			documents + `data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = local.documents
  types     = ["MeshTimeuot"]
}`,
			`Unknown kind of policy .* Did you mean "MeshTimeout"\?`,
		},
		"removed is no identifier": {
			documents + `data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = local.documents
  removed   = ["payments"]
}`,
			`Not an identifier .* removed = \["payments"\]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			fails(t, s.config+test.config, test.want)
			s.untouched(t)
		})
	}
}
