package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// stagedPolicy are documents with a shadow policy beside the one in effect.
const stagedPolicy = `
locals {
  documents = [<<-YAML
    {type: Mesh, name: shop, meshServices: {mode: Exclusive}}
    ---
    type: Dataplane
    mesh: shop
    name: web
    networking: {address: 10.0.0.1, inbound: [{name: http, port: 80, protocol: http}]}
    ---
    type: MeshTimeout
    mesh: shop
    name: current
    spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 4s}}]}
    ---
    type: MeshTimeout
    mesh: shop
    name: a-staged
    labels: {kuma.io/effect: shadow}
    spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 9s}}]}
  YAML
  ]
}
`

// TestShadowPolicyInAnalyses shows that a shadow policy is not in effect in any analysis,
// unless with_shadow is set.
func TestShadowPolicyInAnalyses(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	var config strings.Builder
	config.WriteString(providertest.RequiredProvider + stagedPolicy)
	for _, shadow := range []bool{false, true} {
		fmt.Fprintf(&config, `
data "kuma_effective_rules" "of_%[1]t" {
  mesh        = "shop"
  dataplane   = "web"
  types       = ["MeshTimeout"]
  include     = ["rules"]
  documents   = local.documents
  with_shadow = %[1]t
}
data "kuma_policy_impact" "of_%[1]t" {
  mesh        = "shop"
  documents   = local.documents
  with_shadow = %[1]t
}
data "kuma_mesh_lint" "of_%[1]t" {
  mesh        = "shop"
  documents   = local.documents
  with_shadow = %[1]t
}
output "of_%[1]t" {
  value = {
    rules     = strcontains(jsonencode(data.kuma_effective_rules.of_%[1]t.rules), "9s")
    impact    = [for c in data.kuma_policy_impact.of_%[1]t.changes : "${c.path} ${c.before} ${c.after}"]
    lint      = keys(data.kuma_mesh_lint.of_%[1]t.counts_per_code)
    functions = [
      strcontains(jsonencode(provider::kuma::effective_rules(local.documents, { mesh = "shop", dataplane = "web", types = ["MeshTimeout"] }, { with_shadow = %[1]t })), "9s"),
      [for c in provider::kuma::policy_impact(local.documents, local.documents, "shop", { with_shadow = %[1]t }).changes : "${c.path} ${c.before} ${c.after}"],
      keys(provider::kuma::mesh_lint(local.documents, "shop", { with_shadow = %[1]t }).counts_per_code),
    ]
  }
}
`, shadow)
	}
	got := providertest.PlannedOutputs(t, config.String())
	impact := []any{`connectionTimeout "4s" "9s"`}
	lint := []any{"decided-by-name", "overridden-everywhere"}
	want := map[string]any{
		"of_false": map[string]any{"rules": false, "impact": []any{}, "lint": []any{}, "functions": []any{false, []any{}, []any{}}},
		"of_true":  map[string]any{"rules": true, "impact": impact, "lint": lint, "functions": []any{true, impact, lint}},
	}
	testworld.Equal(t, "result", want, got)
}

// TestPromoteShadowPolicy removes the label of a shadow policy.
func TestPromoteShadowPolicy(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
		t.Helper()
		cp := open(t, providertest.Since("2.14"))
		c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + providertest.CheckoutProxy + `
variable "labels" {
  type    = map(string)
  default = { "kuma.io/effect" = "shadow" }
}
resource "kuma_mesh_timeout" "staged" {
  mesh   = kuma_mesh.shop.name
  name   = "staged"
  labels = var.labels
  spec {
    rules {
      default {
        http {
          request_timeout = "9s"
        }
      }
    }
  }
}
`})
		c.Must(t, "apply", "-auto-approve")
		out := c.Must(t, "apply", "-auto-approve", "-var", "labels={}")
		if !strings.Contains(out, "0 added, 1 changed, 0 destroyed") {
			t.Errorf("the promotion is not an update in place:\n%s", out)
		}
		if out, code := c.Run(t, "plan", "-detailed-exitcode", "-var", "labels={}"); code != 0 {
			t.Errorf("the plan after the promotion has changes:\n%s", out)
		}
		c.DestroysAll(t, cp)
	})
}

// TestShadowPermission evaluates a permission as if it were in effect.
func TestShadowPermission(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+`
locals {
  documents = <<-YAML
    {type: MeshIdentity, mesh: shop, name: all, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: '/{{ label "app" }}'}, provider: {type: Spire, spire: {}}}}
    ---
    {type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 8080}]}}
    ---
    {type: Dataplane, mesh: shop, name: api, labels: {app: api}, networking: {address: 10.0.0.1, inbound: [{port: 8080}]}}
    ---
    {type: Dataplane, mesh: shop, name: web, labels: {app: web}, networking: {address: 10.0.0.2, inbound: [{port: 8080}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
    ---
    {type: MeshTrafficPermission, mesh: shop, name: web, labels: {kuma.io/effect: shadow}, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: spiffe://td/web}}]}}]}}
  YAML
  shadow = { without = false, with = true }
}
data "kuma_access" "shop" {
  for_each    = local.shadow
  mesh        = "shop"
  documents   = [local.documents]
  with_shadow = each.value
}
data "kuma_request" "web" {
  for_each    = local.shadow
  mesh        = "shop"
  documents   = [local.documents]
  dataplane   = "web"
  service     = "api"
  with_shadow = each.value
}
output "shop" {
  value = { for name, with_shadow in local.shadow : name => [
    data.kuma_access.shop[name].counts.allowed,
    provider::kuma::access(local.documents, "shop", { with_shadow = with_shadow }).counts.allowed,
    data.kuma_request.web[name].verdict,
    provider::kuma::request(local.documents, { mesh = "shop", dataplane = "web", service = "api" }, { with_shadow = with_shadow }).verdict,
  ] }
}
`)
	want := map[string]any{"shop": map[string]any{"without": []any{0.0, 0.0, "denied", "denied"}, "with": []any{1.0, 1.0, "allowed", "allowed"}}}
	testworld.Equal(t, "result", want, got)
}
