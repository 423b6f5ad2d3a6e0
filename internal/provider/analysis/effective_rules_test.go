package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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
    spec: {ports: [{port: 80, name: http, appProtocol: http}]}
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
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+documents+`
data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = local.documents
  include   = ["rules", "explain", "json"]
}
data "kuma_effective_rules" "removed" {
  dataplane = "web-1"
  documents = local.documents
  removed   = ["kri_mt_default___payments_", "kri_mt_default___weaker_"]
  include   = ["rules"]
}
data "kuma_effective_rules" "renamed" {
  dataplane = "web-1"
  documents = [replace(local.documents[0], "name: weaker", "name: q-weaker")]
}
data "kuma_effective_rules" "planned_document" {
  dataplane = "web-1"
  documents = local.documents
  planned   = [{ type = "MeshTimeout", mesh = "default", name = "payments", spec = { to = [{ targetRef = { kind = "MeshService", name = "payments" }, default = { idleTimeout = "7s" } }] } }]
}
data "kuma_effective_rules" "ignored" {
  dataplane = "web-1"
  documents = concat(local.documents, [for name, timeout in { weak = "1s", strict = "2s" } : yamlencode({ type = "MeshTimeout", name = name, spec = { rules = [{ default = { idleTimeout = timeout } }] } })])
}
data "kuma_effective_rules" "others" {
  dataplane = "web-1"
  documents = local.documents
  include   = ["rules"]
  types     = ["MeshRetry", "MeshHTTPRoute"]
}
locals { test = data.kuma_effective_rules.test }
output "conf" { value = local.test.conf }
output "rule_index" { value = local.test.rules[0].to_resource_rules[0].origin[0].rule_index }
output "explain" { value = [for e in local.test.explain : merge(e, { overridden = length(e.overridden) })] }
output "digests" { value = [local.test.digest == data.kuma_effective_rules.renamed.digest, local.test.digest == data.kuma_effective_rules.removed.digest] }
output "planned" { value = data.kuma_effective_rules.planned_document.conf["MeshTimeout"]["kri_msvc_default___payments_"] }
output "ignored" { value = [local.test.ignored_rules, data.kuma_effective_rules.ignored.ignored_rules] }
output "none" { value = [data.kuma_effective_rules.others.rules, data.kuma_effective_rules.removed.rules] }
`)
	entry := func(name string) map[string]any {
		return map[string]any{"name": name, "kri": "kri_mt_default___" + name + "_", "rule_index": 0.0}
	}
	timeout := map[string]any{"http": map[string]any{"requestTimeout": "1m30s"}}
	want := map[string]any{
		"conf": map[string]any{"MeshTimeout": map[string]any{"kri_msvc_default___payments_": timeout}}, "rule_index": 0.0,
		"explain": []any{map[string]any{
			"type": "MeshTimeout", "kri": "kri_msvc_default___payments_", "path": "http.requestTimeout", "value": `"1m30s"`, "set_by": entry("payments"), "overridden": 1.0,
		}},
		"digests": []any{true, false},
		"planned": map[string]any{"idleTimeout": "7s", "http": map[string]any{"requestTimeout": "10s"}},
		"ignored": []any{[]any{}, []any{map[string]any{
			"type": "MeshTimeout", "kri": nil, "port": 8080.0, "inbound": nil, "policy": entry("weak"), "reason": "All values of the entry are overridden by strict.",
		}}},
		"none": []any{[]any{}, []any{}},
	}
	testworld.Equal(t, "outputs", want, got)
}

// TestEffectiveRulesDefaults shows what a proxy does where no policy sets a value, as the data
// source and as the function.
func TestEffectiveRulesDefaults(t *testing.T) {
	t.Parallel()
	const name = "data.kuma_effective_rules.test"
	setting := func(kind, kri, port, path, value string) string {
		return fmt.Sprintf(`{ type = %q, kri = %s, port = %s, inbound = null, path = %q, source = "default of the control plane", value = jsonencode(%q) }`, kind, kri, port, path, value)
	}
	to := func(path, value string) string {
		return setting("MeshTimeout", `"kri_msvc_default___payments_http"`, "null", path, value)
	}
	in := func(path, value string) string { return setting("MeshTimeout", "null", "8080", path, value) }
	outgoing := strings.Join([]string{
		to("connectionTimeout", "5s"), to("idleTimeout", "1h0m0s"), to("http.maxStreamDuration", "0s"), to("http.maxConnectionDuration", "0s"), to("http.streamIdleTimeout", "30m0s"),
	}, ", ")
	incoming := strings.Join([]string{in("connectionTimeout", "5s"), in("http.requestTimeout", "15s"), in("http.streamIdleTimeout", "30m0s"), in("idleTimeout", "1h0m0s"), in("http.maxStreamDuration", "0s")}, ", ")
	const text = `MeshTimeout
  to MeshService "payments"
    http.requestTimeout = 1m30s ← payments, overrides 10s of weaker
Settings that no policy sets
  to MeshService "payments", port 80
    MeshTimeout: connectionTimeout = 5s (default of the control plane)`
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+strings.NewReplacer("name: http}", "name: http, appProtocol: http}", "service: web}", "service: web, kuma.io/protocol: http}").Replace(documents)+`
data "kuma_effective_rules" "test" {
  dataplane = "web-1"
  documents = local.documents
  types     = ["MeshTimeout"]
  defaults  = true
}
data "kuma_effective_rules" "destination" {
  dataplane = "web-1"
  documents = local.documents
  defaults  = true
  destination {
    kind = "MeshService"
    name = "payments"
  }
}
data "kuma_effective_rules" "without" {
  dataplane = "web-1"
  documents = local.documents
  types     = ["MeshTimeout"]
}
locals {
  function = provider::kuma::effective_rules(local.documents, { dataplane = "web-1", types = ["MeshTimeout"], defaults = true })
  plain    = provider::kuma::effective_rules(local.documents, { dataplane = "web-1", types = ["MeshTimeout"] })
}
output "text" { value = `+name+`.explanation }
output "expected" {
  value = jsonencode(`+name+`.default_settings) == jsonencode([`+outgoing+`, `+incoming+`])
}
output "destination" {
  value = [for d in data.kuma_effective_rules.destination.default_settings : "${d.type} ${d.path}" if d.kri != "kri_msvc_default___payments_http" || d.type == "MeshRetry"]
}
output "function" {
  value = local.function.explanation == `+name+`.explanation && jsonencode([for d in local.function.default_settings : [d.type, d.path, d.value]]) == jsonencode([for d in `+name+`.default_settings : [d.type, d.path, d.value]])
}
output "unchanged" {
  value = jsonencode(`+name+`.conf) == jsonencode(data.kuma_effective_rules.without.conf) && data.kuma_effective_rules.without.default_settings == null && local.plain.default_settings == null
}`)
	if explanation := tree.Text(got["text"]); !strings.HasPrefix(explanation, text) {
		t.Errorf("the explanation does not begin with %q:\n%s", text, explanation)
	}
	delete(got, "text")
	want := map[string]any{"expected": true, "destination": []any{"MeshRetry http.numRetries"}, "function": true, "unchanged": true}
	testworld.Equal(t, "outputs", want, got)
}

func TestEffectiveRulesMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const dataSource = "data \"kuma_effective_rules\" \"test\" {\n  %s\n}\n"
	documented := strings.Replace(dataSource, "%s", "documents = local.documents\n  %s", 1)
	ofWeb := strings.Replace(documented, "%s", "dataplane = \"web-1\"\n  %s", 1)
	toPayments := strings.Replace(ofWeb, "%s", "destination {\n    kind = \"MeshService\"\n    name = \"payments\"\n    %s\n  }", 1)
	providertest.CheckMistakes(t, documents+documented, map[string]providertest.Mistake{
		"unknown dataplane":              {`dataplane = "web-2"`, `Dataplane not found .* dataplane = "web-2" .* Dataplanes of the mesh: web-1\.`},
		"no proxy":                       {``, `Missing dataplane or proxy`},
		"defaults of several proxies":    {"dataplanes {}\n  defaults = true", `Conflicting arguments .* defaults conflicts with dataplanes`},
		"destination of several proxies": {"dataplanes {}\n  destination { kind = \"MeshService\" }", `Conflicting arguments .* destination conflicts with dataplanes`},
		"rules of several proxies":       {"include = [\"rules\"]\n  dataplanes {}", `Invalid value for include .* Valid values: conf\.`},
		"misspelled selector":            {`dataplanes { label = { app = "web" } }`, `Unsupported argument .* Did you mean "labels"\?`},
		"proxies of an unknown service":  {`dataplanes { service = "web-2" }`, `Service not found .* service = "web-2" .* Services of the mesh: payments\.`},
		"misspelled field of the proxy":  {`proxy = { name = "web-2", networking = { address = "10.0.0.1", inbuond = [] } }`, `Unsupported field in Dataplane .* networking\.inbuond: .* Did you mean "inbound"\?`},
		"proxy is something else":        {`proxy = { type = "MeshService", name = "web-2", spec = { ports = [{ port = 80 }] } }`, `Invalid dataplane .* the document is a MeshService`},
		"proxy of another mesh":          {`proxy = { mesh = "other", name = "web-2", networking = { address = "10.0.0.1", inbound = [{ port = 80, tags = { "kuma.io/service" = "web" } }] } }`, `Conflicting meshes .* mesh "other"`},
	})
	providertest.CheckMistakes(t, documents+ofWeb, map[string]providertest.Mistake{
		"planned is a string":                    {`planned = ["kuma_mesh_timeout.web"]`, `Invalid planned resource`},
		"misspelled field of a planned document": {`planned = [{ type = "MeshTimeout", name = "payments", spec = { to = [{ targetRef = { kind = "Mesh" }, defaults = {}, default = { idleTimeout = "7s" } }] } }]`, `spec\.to\[0\]\.defaults`},
		"planned is not a list":                  {`planned = { a = 1 }`, `planned must be a list`},
		"unknown kind of policy":                 {`types = ["MeshTimeuot"]`, `Invalid policy kind .* Did you mean "MeshTimeout"\?`},
		"one proxy and several":                  {`dataplanes {}`, `Conflicting arguments .* dataplanes conflicts with dataplane and proxy`},
		"two proxies":                            {`proxy = { name = "web-1" }`, `Conflicting arguments .* proxy = .* proxy conflicts with dataplane`},
		"destination of any kind":                {`destination { name = "paymetns" }`, `Destination not found .* No stored or planned destination of mesh "default" has the name "paymetns"\. The mesh has MeshService "payments"\. Did you mean "payments"\?`},
		"destination without name":               {`destination { kind = "MeshService" }`, `Missing destination name`},
		"no kind of destination":                 {"destination {\n    kind = \"MeshServices\"\n    name = \"payments\"\n  }", `Invalid destination kind .* kind = "MeshServices" .* Did you mean "MeshService"\?`},
		"no such destination":                    {"destination {\n    kind   = \"MeshService\"\n    labels = { team = \"pay\" }\n  }", `Destination not found .* has the labels team=pay\. The mesh has MeshService "payments"\.`},
		"nothing to include":                     {`include = ["explian"]`, `Invalid value for include .* Did you mean "explain"\?`},
		"removed is not a KRI":                   {`removed = ["payments"]`, `Invalid KRI .* removed = \["payments"\]`},
	})
	providertest.CheckMistakes(t, documents+toPayments, map[string]providertest.Mistake{
		"no such port":  {`section_name = "htpp"`, `Port not found .* section_name = "htpp" .* Did you mean "http"\?`},
		"no such route": {`route = "r"`, `Route not found .* The mesh has no routes`},
	})
	providertest.CheckMistakes(t, documents+dataSource, map[string]providertest.Mistake{
		"unknown stored dataplane":      {"mesh = \"nowhere\"\n  dataplane = \"web-2\"", `Mesh not found .* mesh = "nowhere"`},
		"documents that are not YAML":   {"dataplane = \"web-1\"\n  documents = [\"type: [Mesh\"]", `Invalid YAML .* documents = .* Line 1: did not find`},
		"document without name":         {"dataplane = \"web-1\"\n  documents = [\"type: MeshTimeout\"]", `Document 1: MeshTimeout: the field name is missing`},
		"invalid document":              {"dataplane = \"web-1\"\n  documents = [\"{type: MeshTimeout, name: web, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1d}}]}}\"]", `Invalid idleTimeout .* spec\.to\[0\]\.default\.idleTimeout`},
		"misspelled kind of a document": {"dataplane = \"web-1\"\n  documents = concat(local.documents, [\"{type: MeshTimout, name: t, spec: {}}\"])", `Unknown kind .* "MeshTimout" is not a kind that this provider supports\. Did you mean "MeshTimeout"\?`},
		"several destinations": {
			`dataplane = "web-1"
  documents = concat(local.documents, [for z in ["east", "west"] : "{type: MeshService, name: cart-${z}, labels: {kuma.io/display-name: cart, kuma.io/zone: ${z}, kuma.io/origin: global}, spec: {}}"])
  destination { name = "cart" }`,
			`Ambiguous destination .* kri_msvc_default_east__cart_ and kri_msvc_default_west__cart_`,
		},
		"one of several destinations, by its identifier": { // which the error above suggests
			`dataplane = "web-1"
  documents = concat(local.documents, [for z in ["east", "west"] : "{type: MeshService, name: cart-${z}, labels: {kuma.io/display-name: cart, kuma.io/zone: ${z}, kuma.io/origin: global}, spec: {}}"])
  destination {
    name         = "kri_msvc_default_west__cart_"
    section_name = "no"
  }`,
			`MeshService "cart-west" has no port "no"`,
		},
	})
}

// TestDigestOfAlikeProxies checks that one expression decides whether all proxies of a
// service have the same rules, with the data source and with the function.
func TestDigestOfAlikeProxies(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+documents+`
locals {
  proxies = concat(local.documents, [for i in [2, 3] : <<-YAML
    type: Dataplane
    name: web-${i}
    labels: { host: h${i}${i == 3 ? ", team: pay" : ""} }
    networking:
      address: 10.0.0.${i}
      inbound: [{port: 8080, tags: {kuma.io/service: web, instance: "${i}"}}]
  YAML
  ], [<<-YAML
    type: MeshTimeout
    name: team
    spec:
      targetRef: {kind: Dataplane, labels: {team: pay}}
      to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s}}]
    ---
    type: MeshTimeout
    name: inbound
    spec: {rules: [{default: {http: {requestTimeout: 7s}}}]}
  YAML
  ])
}
data "kuma_effective_rules" "each" {
  count     = 3
  dataplane = "web-${count.index + 1}"
  documents = local.proxies
}
output "alike" {
  value = [for numbers in [[1, 2], [2, 3]] :
    length(distinct([for n in numbers : data.kuma_effective_rules.each[n - 1].digest])) == 1]
}
output "alike_by_function" {
  value = [for numbers in [[1, 2], [2, 3]] :
    length(distinct([for n in numbers : provider::kuma::effective_rules(local.proxies, { dataplane = "web-${n}", types = ["MeshTimeout"] }).digest])) == 1]
}`)
	alike := []any{true, false}
	testworld.Equal(t, "outputs", map[string]any{"alike": alike, "alike_by_function": alike}, got)
}

// TestEffectiveRulesOfDestination asks for the conf of traffic of a proxy that
// does not exist: the steps of matching.md §12, a route that other proxies
// have, as in the example of disjoint proxies in design record 000.
func TestEffectiveRulesOfDestination(t *testing.T) {
	t.Parallel()
	conf := func(timeout string, kri any, step string, passed ...any) any {
		return map[string]any{"MeshTimeout": map[string]any{
			"conf": map[string]any{"http": map[string]any{"requestTimeout": timeout}}, "kri": kri, "step": step, "passed": append([]any{}, passed...), "origin": 1.0,
		}}
	}
	const config = `
locals {
  documents = [<<-YAML
    {type: Mesh, name: default, meshServices: {mode: Everywhere}}
    ---
    {type: MeshService, name: backend, spec: {ports: [{port: 80, name: http}]}}
    ---
    {type: Dataplane, name: legacy-1, networking: {address: 10.0.0.9, inbound: [{port: 80, tags: {kuma.io/service: legacy_db}}]}}
    ---
    type: MeshHTTPRoute
    name: route-to-backend
    spec:
      targetRef: {kind: MeshSubset, tags: {services-group: frontend}}
      to: [{targetRef: {kind: MeshService, name: backend}, rules: [{matches: [{path: {type: PathPrefix, value: /slow}}], default: {}}]}]
    ---
    type: MeshTimeout
    name: on-route
    spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: route-to-backend}, default: {http: {requestTimeout: 3s}}}]}
    ---
    type: MeshTimeout
    name: on-service
    spec: {to: [{targetRef: {kind: MeshService, name: backend}, default: {http: {requestTimeout: 2s}}}]}
    ---
    type: MeshTimeout
    name: on-legacy
    spec: {to: [{targetRef: {kind: MeshService, name: legacy_db}, default: {http: {requestTimeout: 1s}}}]}
  YAML
  ]
  proxy = { for group in ["frontend", "reporting"] : group => {
    name       = "${group}-1"
    networking = { address = "10.0.0.5", inbound = [{ port = 8080, tags = { "kuma.io/service" = group, "services-group" = group } }] }
  } }
}
`
	var asked strings.Builder
	for name, q := range map[string]struct{ group, destination, route string }{
		"route":    {"frontend", "backend", `"route-to-backend"`},
		"kri":      {"frontend", "backend", `"kri_mhttpr_default___route-to-backend_"`},
		"disjoint": {"reporting", "backend", `"route-to-backend"`},
		"service":  {"frontend", "backend", "null"},
		"any_kind": {"frontend", "backend", "null"},
		"tag":      {"frontend", "legacy_db", "null"},
	} {
		section, kind := "null", `"MeshService"`
		if q.destination == "backend" {
			section = `"http"`
		}
		if name == "any_kind" {
			kind = "null"
		}
		fmt.Fprintf(&asked, `
data "kuma_effective_rules" "%[1]s" {
  proxy     = local.proxy["%[2]s"]
  documents = local.documents
  types     = ["MeshTimeout"]
  destination {
    kind         = %[6]s
    name         = "%[3]s"
    section_name = %[4]s
    route        = %[5]s
  }
}
output "%[1]s" { value = { for type, c in data.kuma_effective_rules.%[1]s.destination_conf : type => merge(c, { origin = length(c.origin) }) } }
`, name, q.group, q.destination, section, q.route, kind)
	}
	const onRoute, onService = "kri_mhttpr_default___route-to-backend_", "kri_msvc_default___backend_"
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+config+asked.String()+`
output "text" { value = data.kuma_effective_rules.route.explanation }
output "warnings" { value = data.kuma_effective_rules.disjoint.warnings }
output "left_out" {
  value = data.kuma_effective_rules.tag.rules == null && data.kuma_effective_rules.tag.explain == null && data.kuma_effective_rules.tag.json == null
}`)
	want := map[string]any{
		"route": conf("3s", onRoute, "route"), "kri": conf("3s", onRoute, "route"), "disjoint": conf("2s", onService, "resource", "section"),
		"service": conf("2s", onService, "resource", "section"), "any_kind": conf("2s", onService, "resource", "section"), "tag": conf("1s", nil, "tags"),
		"text": "MeshTimeout\n  to MeshHTTPRoute \"route-to-backend\"\n    http.requestTimeout = 3s ← on-route",
		"warnings": []any{
			`MeshHTTPRoute "route-to-backend" does not select Dataplane "reporting-1", so destination_conf contains what applies without the route.`,
			`MeshTimeout: the settings of "on-route" for MeshHTTPRoute "route-to-backend" have no effect on Dataplane "reporting-1", because the route does not apply: its targetRef requires an inbound with the tags services-group=frontend.`,
		},
		"left_out": true,
	}
	testworld.Equal(t, "outputs", want, got)
}

// TestOlderPolicies checks that documents of policies without targetRef are ignored
// with a warning.
func TestOlderPolicies(t *testing.T) {
	t.Parallel()
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + documents + `
data "kuma_effective_rules" "web" {
  dataplane = "web-1"
  documents = concat(local.documents, [<<-YAML
    type: TrafficPermission
    name: allow-all
    mesh: default
    sources:
      - match: { kuma.io/service: "*" }
  YAML
  ])
}
`})
	out := strings.Join(strings.Fields(c.Must(t, "plan")), " ")
	for _, want := range []string{"Documents ignored", `The analysis ignores TrafficPermission "allow-all" of mesh "default"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}
