package functions_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestUpgradeDocuments checks the results of the function for texts, objects, options and
// documents that it cannot rewrite.
func TestUpgradeDocuments(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + `
locals {
  mesh      = { type = "Mesh", name = "shop", meshServices = { mode = "Exclusive" }, skipCreatingInitialPolicies = ["*"] }
  proxy     = "{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, team: a}}]}}"
  policy    = "{type: MeshTimeout, mesh: shop, name: t, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}, from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 5s}}]}}"
  removed   = "{type: TrafficPermission, mesh: shop, name: all, sources: [], destinations: []}"
  unknown   = { type = "MeshGlobalRateLimit", mesh = "shop", name = "g", spec = { a = 1 } }
  half      = "{type: MeshTimeout, mesh: shop, name: half, spec: {rules: [{default: {idleTimeout: 5s}}], from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 6s}}]}}"
  upgrade   = provider::kuma::upgrade_documents([local.mesh, local.proxy, local.policy, local.removed, local.unknown, local.half], { zone = "east" })
  one       = [for d in local.upgrade.stage_one : yamldecode(d)]
  two       = [for d in local.upgrade.stage_two : yamldecode(d)]
}
output "one" { value = [for d in local.one : jsonencode(d.spec) if d.type == "MeshTimeout"] }
output "two" { value = [for d in local.two : "${d.type}/${d.name}"] }
output "removed" { value = local.upgrade.removed }
output "unchanged" { value = local.upgrade.unchanged_on_2 }
output "changed" { value = local.upgrade.changed_on_3 }
output "proof" { value = local.upgrade.proof }
output "actions" { value = [for i in local.upgrade.report : "${i.action} ${i.type}/${i.name} ${i.path}" if i.action == "manual" || i.action == "kept"] }
output "initial" { value = length(provider::kuma::upgrade_documents({ type = "Mesh", name = "a" }, { initial_policies = true }).stage_two) }
`})
	c.Must(t, "plan", "-out=plan")
	want := map[string]any{
		"one": []any{
			`{"rules":[{"default":{"idleTimeout":"5s"}}],"targetRef":{"kind":"Dataplane","labels":{"team":"a"}}}`,
			`{"from":[{"default":{"idleTimeout":"6s"},"targetRef":{"kind":"Mesh"}}],"rules":[{"default":{"idleTimeout":"5s"}}]}`,
		},
		"two":       []any{"Mesh/shop", "Dataplane/web-1", "MeshTimeout/t", "MeshGlobalRateLimit/g", "MeshTimeout/half", "MeshPassthrough/passthrough-all"},
		"removed":   []any{"TrafficPermission/all"},
		"unchanged": true, "changed": []any{},
		"proof":   "Stage one, on Kuma 2.14: No proxy changes.\nStage two, on Kuma 3.0: No proxy changes.\n",
		"actions": []any{"manual MeshTimeout/half spec.from", "manual TrafficPermission/all ", "kept MeshGlobalRateLimit/g ", "kept MeshTimeout/half spec"},
		"initial": 6.0,
	}
	if diff := cmp.Diff(want, c.PlannedOutputs(t, "plan")); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}
