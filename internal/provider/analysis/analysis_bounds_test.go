package analysis_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestAnalysesAreBounded checks that data sources shorten long lists and count
// all elements, and that functions return all of them.
func TestAnalysesAreBounded(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+`
locals {
  misspelled  = concat(["{type: Mesh, name: default, meshServices: {mode: Exclusive}}"], [for i in range(60) : "{type: MeshTimeout, name: t-${i}, spec: {to: [{targetRef: {kind: MeshService, name: nowhere-${i}}, default: {idleTimeout: 1s}}]}}"])
  services  = [for i in range(250) : "{type: MeshService, name: s-${i}, spec: {selector: {dataplaneTags: {app: web}}, ports: [{port: 80}]}}"]
  proxies   = [for i in range(120) : "{type: Dataplane, name: web-${i}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, app: web}}]}}"]
  timeouts  = [for i in range(250) : "{type: MeshTimeout, name: t-${i}, spec: {to: [{targetRef: {kind: MeshService, name: s-${i}}, default: {idleTimeout: 1s}}]}}"]
  all       = "{type: MeshTimeout, name: all, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 2s}}]}}"
  documents = concat(["{type: Mesh, name: default, meshServices: {mode: Exclusive}}", local.all], local.services, local.proxies, local.timeouts)
}
data "kuma_mesh_lint" "part" {
  documents = local.misspelled
}
data "kuma_mesh_lint" "all" {
  documents = local.misspelled
  complete  = true
}
data "kuma_policy_impact" "part" {
  documents = local.documents
  removed   = ["kri_mt_default___all_"]
}
data "kuma_policy_impact" "all" {
  documents = local.documents
  removed   = ["kri_mt_default___all_"]
  complete  = true
}
locals {
  lint         = { part = data.kuma_mesh_lint.part, all = data.kuma_mesh_lint.all, function = provider::kuma::mesh_lint(local.misspelled, "default") }
  same_summary = length(distinct(values(local.lint)[*].summary)) == 1
  impact       = { part = data.kuma_policy_impact.part, all = data.kuma_policy_impact.all }
}
output "lint" {
  value = { for k, l in local.lint : k => [length(l.findings), l.findings_omitted, l.counts["error"], l.counts_per_code["dangling-target"]] }
}
output "same_summary" {
  value = local.same_summary
}
output "impact" {
  value = { for k, i in local.impact : k => [length(i.changes), i.changes_omitted, i.counts.changes, length(i.changes[0].dataplanes), i.changes[0].dataplane_count, length(i.dataplanes_changed)] }
}
output "kuma3" {
  value = {
    today = keys(provider::kuma::mesh_lint(["{type: TrafficPermission, name: all}"], "default").counts_per_code)
    then  = keys(provider::kuma::mesh_lint(["{type: TrafficPermission, name: all}"], "default", { kuma3 = true }).counts_per_code)
  }
}
`)
	want := map[string]any{
		"lint":         map[string]any{"part": []any{50.0, 10.0, 60.0, 60.0}, "all": []any{60.0, 0.0, 60.0, 60.0}, "function": []any{60.0, 0.0, 60.0, 60.0}},
		"same_summary": true,
		"impact":       map[string]any{"part": []any{200.0, 51.0, 251.0, 50.0, 120.0, 120.0}, "all": []any{251.0, 0.0, 251.0, 120.0, 120.0, 120.0}},
		"kuma3":        map[string]any{"today": []any{"older-kinds"}, "then": []any{"K3-073", "K3-102", "older-kinds"}},
	}
	testworld.Equal(t, "outputs", want, got)
}

func TestMeshLintFunctionMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, "output \"test\" {\n  value = provider::kuma::mesh_lint(\"{type: Mesh, name: default}\", \"default\", %s)\n}\n", map[string]providertest.Mistake{
		"not an object":     {`"kuma3"`, `The options must be an object`},
		"unknown option":    {`{ kuma = true }`, `"kuma" is not a valid option\. Valid options: kuma3, kuma_version or with_shadow`},
		"not a boolean":     {`{ kuma3 = "x" }`, `The option kuma3 must be true or false`},
		"unknown release":   {`{ kuma_version = "4.0" }`, `The option kuma_version: "4\.0" is not a release of Kuma whose matching of policies is known\. Write a release from 2\.9 to 3\.0`},
		"no release":        {`{ kuma_version = "newest" }`, `is not a release of Kuma`},
		"number as release": {`{ kuma_version = 3.0 }`, `The option kuma_version must be a string, such as "3\.0"`},
	})
}
