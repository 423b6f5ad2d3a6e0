package analysis_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestAnalysesWithUnknowns checks that unknown values make an impact or
// findings unknown only if they can change them.
func TestAnalysesWithUnknowns(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + `
provider "kuma" {
  embedded {
    directory    = "${path.root}/mesh"
    kuma_version = "2.14"
  }
}
resource "terraform_data" "later" { input = "10s" }
locals {
  unknown = terraform_data.later.output
  before  = [<<-YAML
    type: Dataplane
    name: web-1
    labels: {kuma.io/origin: zone, kuma.io/zone: east}
    networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}
    ---
    type: MeshTimeout
    name: t
    labels: {kuma.io/origin: zone, kuma.io/zone: east}
    spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 5s}}]}
  YAML
  ]
  proxy   = { type = "Dataplane", name = "web-1", networking = { address = local.unknown, inbound = [{ port = 80, tags = { "kuma.io/service" = "web" } }] } }
  own     = { type = "Dataplane", name = "web-1", networking = { address = local.unknown, inbound = [{ address = "10.0.0.2", port = 80, tags = { "kuma.io/service" = "web" } }] } }
  tagged  = { type = "Dataplane", name = "web-1", networking = { address = "10.0.0.1", inbound = [{ port = 80, tags = { "kuma.io/service" = local.unknown } }] } }
  timeout = { type = "MeshTimeout", name = "t", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { idleTimeout = local.unknown } }] } }
  known   = { type = "MeshTimeout", name = "t", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { idleTimeout = "6s" } }] } }
  retry   = { type = "MeshRetry", name = "r", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { tcp = { maxConnectAttempt = local.unknown } } }] } }
  secret  = { type = "Secret", name = "s", data = local.unknown }
}
resource "kuma_mesh" "default" {
  name = "default"
}
resource "kuma_mesh_timeout" "whole" {
  mesh = kuma_mesh.default.name
  name = "t"
  spec {
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
output "address" { value = distinct([for c in provider::kuma::policy_impact(local.before, [local.proxy, local.known], "default").changes : "${c.path} ${c.before} ${c.after} ${c.after_set_by.kri}"]) }
output "own_address" { value = provider::kuma::policy_impact(local.before, [local.own, local.known], "default").summary }
output "tag" { value = provider::kuma::policy_impact(local.before, [local.tagged, local.known], "default").summary }
output "value" { value = provider::kuma::policy_impact(local.before, [local.before, local.timeout], "default").summary }
output "other_kind" { value = provider::kuma::policy_impact(local.before, [local.before, local.retry], "default").summary }
output "other_type" { value = provider::kuma::policy_impact(local.before, [local.before, local.retry], "default", { types = ["MeshTimeout"] }).summary }
output "secret" { value = provider::kuma::policy_impact(local.before, [local.before, local.secret], "default").summary }
output "deleted" { value = provider::kuma::policy_impact(local.before, [local.proxy], "default").changes[0].after == null }
output "whole" { value = distinct([for c in provider::kuma::policy_impact(local.before, [local.before, kuma_mesh_timeout.whole], "default").changes : "${c.before} ${c.after}"]) }
output "new_mesh" { value = strcontains(provider::kuma::policy_impact(local.before, [local.before, kuma_mesh.default], "default").summary, "mesh-timeout-all-default") }
output "existing_mesh" { value = provider::kuma::policy_impact([local.before, "{type: Mesh, name: default}"], [local.before, kuma_mesh.default], "default").summary }
output "lint_address" { value = provider::kuma::mesh_lint([local.before, local.proxy], "default").counts["error"] }
output "lint_value" { value = provider::kuma::mesh_lint([local.before, local.retry], "default").summary }
output "lint" { value = [for f in provider::kuma::mesh_lint([local.before, "{type: MeshRetry, name: r, spec: {to: [{targetRef: {kind: MeshService, name: nowhere}, default: {tcp: {maxConnectAttempt: 3}}}]}}"], "default").findings : "${f.code} ${f.resource}" if f.severity == "error"] }
`})
	c.Must(t, "plan", "-out=plan")
	const same = "Mesh default: no dataplane changes.\n\n1 dataplane does not change: web-1\n"
	want := map[string]any{
		"address":     []any{`idleTimeout "5s" "6s" kri_mt_default_east__t_`},
		"own_address": nil, "tag": nil, "value": nil, "other_kind": nil,
		"other_type": same, "secret": same,
		"deleted":  true,
		"whole":    []any{`"5s" "7s"`},
		"new_mesh": true, "existing_mesh": same,
		"lint_address": float64(0), "lint_value": nil,
		"lint": []any{"dangling-target kri_mr_default_east__r_"},
	}
	if diff := cmp.Diff(want, c.PlannedOutputs(t, "plan")); diff != "" {
		t.Errorf("outputs, nil where they are unknown (-want +got):\n%s", diff)
	}
}
