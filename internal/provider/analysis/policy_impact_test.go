package analysis_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestImpactExample runs the module in examples/impact on each release. The plan of a
// change reports the impact, the check warns, the precondition fails the plan, and the
// plan after each apply is empty.
func TestImpactExample(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
		t.Helper()
		testImpactExample(t, open(t, providertest.Since("2.14"), providertest.Writes(kinds.Dataplane)))
	})
}

func testImpactExample(t *testing.T, cp providertest.ControlPlane) {
	t.Helper()
	dir := testworld.Path("examples", "impact")
	main := providertest.ProviderBlock.ReplaceAllLiteralString(testworld.Text(t, filepath.Join(dir, "main.tf")), cp.Config)
	c := providertest.NewCLI(t, map[string]string{"main.tf": main, "impact.tf": testworld.Text(t, filepath.Join(dir, "impact.tf"))})
	impact := func(plan string) map[string]any { return c.ReadData(t, plan, "data.kuma_policy_impact.shop") }
	summary := func(plan string) string { return fmt.Sprint(impact(plan)["summary"]) }
	apply := func(plan string) {
		t.Helper()
		c.Must(t, "apply", plan)
		if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
			t.Errorf("the plan after the apply of %s: exit code %d\n%s", plan, code, out)
		}
	}

	out := c.Must(t, "plan", "-out=first")
	if strings.Contains(out, "known after apply") {
		t.Errorf("the first plan contains unknown values:\n%s", out)
	}
	if text := summary("first"); !strings.Contains(text, "20 dataplanes are added: ") {
		t.Errorf("impact of the first plan:\n%s", text)
	}
	for _, policy := range tree.List(impact("first")["without_effect"]) {
		if name := tree.Text(tree.Object(policy)["name"]); name != "mesh-gateways-timeout-all-shop" { // an initial policy of Kuma 2.x
			t.Errorf("%s has no effect", name)
		}
	}
	apply("first")

	out = c.Must(t, "plan", "-var", "payments_timeout=2s", "-out=change")
	got := impact("change")
	want := `Mesh shop: 8 of 20 dataplanes change.

8 dataplanes change: web-1, web-2, web-3, web-4, web-5, web-6, web-7 and web-8
- MeshTimeout, to MeshService "payments"
  - ` + "`http.requestTimeout`: `5s` → `2s`" + `, set by payments to[0]

8 of these dataplanes have neither outbounds nor transparent proxying: web-1, web-2, web-3, web-4 and 4 more. This assumes that kuma-dp redirects their traffic; without that, they reach no service.

12 dataplanes do not change: batch-1, batch-2, batch-3, batch-4, payments-1, payments-2, payments-3, payments-4, stock-1, stock-2 and 2 more
`
	testworld.Equal(t, "summary in the plan", want, got["summary"])
	testworld.Equal(t, "dataplanes that change", numbered("web", 8), got["dataplanes_changed"])
	testworld.Equal(t, "dataplanes that do not change", append(append(numbered("batch", 4), numbered("payments", 4)...), numbered("stock", 4)...), got["dataplanes_unchanged"])
	if strings.Contains(out, "Batch jobs change") {
		t.Errorf("the check warns:\n%s", out)
	}
	if printed, ok := guideCommand(t, c, "change"); ok && printed != want+"\n" {
		t.Errorf("the command of the guide prints:\n%s", printed)
	}

	out, code := c.Run(t, "plan", "-var", "payments_timeout=0s")
	if code != 1 || !strings.Contains(out, "A proxy would lose its request timeout.") || !strings.Contains(out, "`5s` → `0s`") {
		t.Errorf("a plan that turns a timeout off: exit code %d\n%s", code, out)
	}

	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), strings.Replace(main, `"15s"`, `"10s"`, 1))
	if out := c.Must(t, "plan", "-out=batch"); !strings.Contains(out, "Batch jobs change, too") {
		t.Errorf("the check does not warn:\n%s", out)
	}
	if text := summary("batch"); !strings.HasPrefix(text, "Mesh shop: every dataplane changes.\n") {
		t.Errorf("impact of another default:\n%s", text)
	}
	apply("batch")
	c.Must(t, "plan", "-out=same")
	if text := summary("same"); !strings.HasPrefix(text, "Mesh shop: no dataplane changes.\n") || strings.Contains(text, "no effect") {
		t.Errorf("impact after the apply:\n%s", text)
	}
}

// guideCommand prints the impact in a plan with the command of the guide. It returns
// false if jq is not installed.
func guideCommand(t *testing.T, c providertest.CLI, plan string) (string, bool) {
	t.Helper()
	jq, err := exec.LookPath("jq")
	if err != nil {
		return "", false
	}
	guide := testworld.Text(t, testworld.Path("templates", "guides", "preview-a-change.md.tmpl"))
	filter := regexp.MustCompile(`jq -r '([^']+)'`).FindStringSubmatch(guide)
	if filter == nil {
		t.Fatal("the guide does not use jq")
	}
	file := filepath.Join(t.TempDir(), "plan.json")
	providertest.Write(t, file, string(c.Show(t, plan)))
	out, err := exec.CommandContext(t.Context(), jq, "-r", filter[1], file).CombinedOutput()
	if err != nil {
		t.Fatalf("jq: %v\n%s", err, out)
	}
	return string(out), true
}

func numbered(app string, n int) []any {
	var names []any
	for i := range n {
		names = append(names, app+"-"+string(rune('1'+i)))
	}
	return names
}

// TestPolicyImpactOfDocuments runs without a control plane.
func TestPolicyImpactOfDocuments(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+documents+`
data "kuma_policy_impact" "test" {
  documents = local.documents
  removed   = ["kri_mt_default___payments_"]
}
data "kuma_policy_impact" "nothing" {
  documents = local.documents
}
data "kuma_policy_impact" "weaker" {
  documents = local.documents
  removed   = ["MeshTimeout/weaker"]
}
data "kuma_policy_impact" "others" {
  documents = local.documents
  removed   = ["kri_mt_default___payments_"]
  types     = ["MeshRetry"]
}
data "kuma_policy_impact" "dataplane" {
  documents = local.documents
  removed   = ["kri_dp_default___web-1_"]
}
locals { weaker = data.kuma_policy_impact.weaker }
output "change" { value = data.kuma_policy_impact.test.changes[0] }
output "counts" { value = { for name, n in data.kuma_policy_impact.test.counts : name => n if n > 0 } }
output "numbers" { value = length(data.kuma_policy_impact.test.counts) }
output "none" { value = concat(data.kuma_policy_impact.nothing.changes, local.weaker.changes, data.kuma_policy_impact.others.without_effect) }
output "without_effect" { value = local.weaker.without_effect }
output "unchanged" { value = data.kuma_policy_impact.others.dataplanes_unchanged }
output "removed" { value = data.kuma_policy_impact.dataplane.dataplanes_removed }
`)
	entry := func(name string) map[string]any {
		return map[string]any{"name": name, "kri": "kri_mt_default___" + name + "_", "rule_index": 0.0}
	}
	want := map[string]any{
		"change": map[string]any{
			"dataplanes": []any{"web-1"}, "dataplane_count": 1.0, "type": "MeshTimeout", "direction": "to", "cause": "settings",
			"destination": "kri_msvc_default___payments_", "path": "http.requestTimeout",
			"before": `"1m30s"`, "after": `"10s"`, "before_set_by": entry("payments"), "after_set_by": entry("weaker"),
		},
		"counts": map[string]any{"dataplanes_changed": 1.0, "changes": 2.0, "values": 2.0}, "numbers": 10.0, "none": []any{},
		"without_effect": []any{map[string]any{
			"type": "MeshTimeout", "name": "weaker", "kri": "kri_mt_default___weaker_", "operation": "removed", "reason": "is fully overridden by payments",
		}},
		"unchanged": []any{"web-1"}, "removed": []any{"web-1"},
	}
	testworld.Equal(t, "outputs", want, got)
}

func TestPolicyImpactMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, documents+`data "kuma_policy_impact" "test" {
  documents = local.documents
  %s
}`, map[string]providertest.Mistake{
		"unknown kind of policy": {`types = ["MeshTimeuot"]`, `Invalid policy kind .* Did you mean "MeshTimeout"\?`},
		"planned is a string":    {`planned = ["kuma_mesh_timeout.web"]`, `Invalid planned resource`},
		"removed is not a KRI":   {`removed = ["payments"]`, `Invalid KRI .* removed = \["payments"\]`},
	})
	providertest.CheckMistakes(t, `data "kuma_policy_impact" "test" {
  %s
}`, map[string]providertest.Mistake{
		"removed is ambiguous": {
			`kuma_version = "2.14"
  documents = ["{type: MeshService, name: a, labels: {kuma.io/display-name: web}, spec: {}}\n---\n{type: MeshService, name: b, labels: {kuma.io/display-name: web}, spec: {}}"]
  removed   = ["MeshService/a", "kri_msvc_default___web_"]`,
			`Ambiguous KRI .* 2 resources of mesh "default" have the identifier kri_msvc_default___web_, because they have the same display name\. To exclude one of them, write its kind and name: "MeshService/a" and "MeshService/b"\.`,
		},
		"planned document without mesh": {
			`mesh = "shop"
  documents = ["{type: Mesh, name: shop}"]
  planned   = [{ type = "MeshTimeout", name = "new", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { idleTimeout = "5s" } }] } }]`,
			`Invalid planned resource .* Element 0: MeshTimeout "new" does not have the field "mesh", so it is in mesh "default" and does not affect mesh "shop"\. Set "mesh" to one of them\.`,
		},
		"document without mesh": {
			`mesh = "shop"
  documents = ["{type: MeshTimeout, mesh: shop, name: old, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 5s}}]}}", "{type: Dataplane, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}"]`,
			`Missing mesh .* Dataplane "web-1" does not have the field "mesh"`,
		},
		"unknown mesh": {`mesh = "nowhere"`, `Mesh not found .* mesh = "nowhere"`},
	})
}

// TestPolicyImpactKeepsCreationTimes checks that planning a gateway unchanged does
// not make it older: of two gateways with the same selectors, the younger one
// applies.
func TestPolicyImpactKeepsCreationTimes(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.EmbeddedConfig("2.14")+`
resource "kuma_mesh_gateway" "young" {
  mesh = "default"
  name = "young"
  selectors {
    match = { "kuma.io/service" = "edge" }
  }
  conf {
    listeners {
      port     = 8081
      protocol = "HTTP"
    }
  }
}
locals { planned = [kuma_mesh_gateway.young] }
data "kuma_policy_impact" "test" {
  planned   = local.planned
  documents = [<<-YAML
    type: Dataplane
    name: edge-1
    networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}
    ---
    type: MeshGateway
    name: old
    creationTime: "2026-01-01T00:00:00Z"
    selectors: [{match: {kuma.io/service: edge}}]
    conf: {listeners: [{port: 8080, protocol: HTTP}]}
    ---
    type: MeshGateway
    name: young
    creationTime: "2026-02-01T00:00:00Z"
    selectors: [{match: {kuma.io/service: edge}}]
    conf: {listeners: [{port: 8081, protocol: HTTP}]}
    ---
    type: MeshTimeout
    name: edge
    spec:
      targetRef: {kind: MeshGateway, name: young}
      to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1m}}]
  YAML
  ]
}
output "changes" { value = length(data.kuma_policy_impact.test.changes) }
`)
	if got := got["changes"]; got != float64(0) {
		t.Errorf("%v values change, want none", got)
	}
}

// BenchmarkPolicyImpact reads the data source for a change of 1,000 timeouts on
// 1,000 dataplanes, from documents to the value returned to Terraform.
func BenchmarkPolicyImpact(b *testing.B) {
	server, err := providertest.Factories["kuma"]()
	testworld.NoError(b, err)
	schemas, err := server.GetProviderSchema(b.Context(), &tfprotov6.GetProviderSchemaRequest{})
	testworld.NoError(b, err)
	object, _ := schemas.DataSourceSchemas["kuma_policy_impact"].ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, t := range object.AttributeTypes {
		values[name] = tftypes.NewValue(t, nil)
	}
	values["mesh"] = tftypes.NewValue(tftypes.String, "large")
	texts := tftypes.List{ElementType: tftypes.String}
	values["documents"] = tftypes.NewValue(texts, []tftypes.Value{tftypes.NewValue(tftypes.String, largeMesh())})
	values["removed"] = tftypes.NewValue(texts, []tftypes.Value{tftypes.NewValue(tftypes.String, "kri_mt_large___everybody_")})
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	testworld.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		resp, err := server.ReadDataSource(b.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "kuma_policy_impact", Config: &config})
		if err != nil || len(resp.Diagnostics) > 0 {
			b.Fatal(err, resp.Diagnostics)
		}
	}
}

// largeMesh returns documents of a mesh with 500 services, 1,000 dataplanes and
// 1,000 policies.
func largeMesh() string {
	docs := []string{
		"{type: Mesh, name: large, meshServices: {mode: Exclusive}}",
		"{type: MeshTimeout, mesh: large, name: everybody, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 5s}}]}}",
	}
	for i := range 500 {
		docs = append(docs, fmt.Sprintf("{type: MeshService, mesh: large, name: service-%d, spec: {ports: [{port: 80}]}}", i))
	}
	for i := range 1_000 {
		docs = append(docs,
			fmt.Sprintf("{type: Dataplane, mesh: large, name: dp-%d, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: service-%d}}]}}", i, i%500),
			fmt.Sprintf("{type: MeshTimeout, mesh: large, name: policy-%d, spec: {to: [{targetRef: {kind: MeshService, name: service-%d}, default: {http: {requestTimeout: %ds}}}]}}", i, i%500, 1+i%30))
	}
	return strings.Join(docs, "\n---\n")
}

// TestAnalysesWithUnknowns checks that unknown values make an impact or
// findings unknown only if they can change them.
func TestAnalysesWithUnknowns(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.EmbeddedConfig("2.14")+`
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
`)
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
	testworld.Equal(t, "outputs, nil where they are unknown", want, got)
}
