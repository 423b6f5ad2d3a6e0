package analysis_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestAccessIsBounded checks that only complete makes a data source keep all elements and
// names, and that counts are exact in either case.
func TestAccessIsBounded(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+`
locals {
  services  = [for i in range(510) : "{type: MeshService, name: s-${i}, spec: {selector: {dataplaneTags: {app: none}}, ports: [{port: 80}]}}"]
  proxies   = [for i in range(60) : "{type: Dataplane, name: web-${i}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web_app, app: web}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}"]
  documents = concat(["{type: Mesh, name: default, meshServices: {mode: Exclusive}}"], local.services, local.proxies)
}
data "kuma_access" "part" {
  documents = local.documents
}
data "kuma_access" "all" {
  documents = local.documents
  complete  = true
}
data "kuma_access" "one" {
  documents = local.documents
  from      = ["web-7"]
  to        = ["s-9"]
}
locals {
  access = {
    part = data.kuma_access.part, all = data.kuma_access.all, function = provider::kuma::access(local.documents, "default")
    one  = data.kuma_access.one, filtered = provider::kuma::access(local.documents, "default", { from = ["web-7"], to = ["s-9"] })
  }
}
output "access" {
  value = { for k, a in local.access : k => [length(a.access), a.access_omitted, length(a.access[0].clients), a.access[0].client_count, a.counts.refused] }
}
output "verdict" {
  value = "${data.kuma_access.one.access[0].verdict}: ${data.kuma_access.one.access[0].reason}"
}
`)
	want := map[string]any{
		"access": map[string]any{
			"part": []any{200.0, 310.0, 50.0, 60.0, 30600.0}, "all": []any{510.0, 0.0, 60.0, 60.0, 30600.0}, "function": []any{510.0, 0.0, 60.0, 60.0, 30600.0},
			"one": []any{1.0, 0.0, 1.0, 1.0, 1.0}, "filtered": []any{1.0, 0.0, 1.0, 1.0, 1.0},
		},
		"verdict": "no endpoint: no ready proxy provides the port",
	}
	testworld.Equal(t, "outputs", want, got)
}

// TestAccessIsReadyForStrict checks who speaks plaintext, and that nothing to check is not ready.
func TestAccessIsReadyForStrict(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+`
locals {
  shop = <<-YAML
    {type: Mesh, name: default, meshServices: {mode: Exclusive}}
    ---
    {type: MeshTLS, name: permissive, spec: {rules: [{default: {mode: Permissive}}]}}
    ---
    {type: MeshService, name: db, spec: {selector: {dataplaneLabels: {matchLabels: {app: db}}}, ports: [{port: 80, targetPort: 80}]}}
    ---
    {type: Dataplane, name: db, labels: {app: db, tls: on}, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: none, port: 1}}]}}
    ---
    {type: Dataplane, name: old, labels: {app: old}, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: db, port: 80}}]}}
    ---
    {type: Dataplane, name: new, labels: {app: new, tls: on}, networking: {address: 10.0.0.3, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: db, port: 80}}]}}
    ---
    {type: MeshIdentity, name: identity, spec: {selector: {dataplane: {matchLabels: LABELS}}, spiffeID: {trustDomain: td, path: '/{{ label "app" }}'}, provider: {type: Spire, spire: {}}}}
  YAML
  access = {
    some = provider::kuma::access(replace(local.shop, "LABELS", "{tls: on}"), "default")
    all  = provider::kuma::access(replace(local.shop, "LABELS", "{}"), "default")
  }
}
data "kuma_access" "some" {
  documents = [replace(local.shop, "LABELS", "{tls: on}")]
}
data "kuma_access" "nothing" {
  documents = [replace(local.shop, "LABELS", "{}")]
  to        = ["typo"]
}
data "kuma_access" "no_client" {
  documents = [replace(local.shop, "LABELS", "{}")]
  from      = ["typo"]
}
output "ready" {
  value = { for name, a in merge(local.access, { data = data.kuma_access.some, nothing = data.kuma_access.nothing, "no client" = data.kuma_access.no_client }) : name => join(" ", concat(
    [a.strict_ready, a.counts.plaintext],
    [for e in a.access : "${join(",", e.clients)}-${e.service}:${e.port}" if e.plaintext && e.reachable],
  )) }
}
`)
	want := map[string]any{"ready": map[string]any{
		"some": "false 1 old-db:80", "data": "false 1 old-db:80", "all": "true 0", "nothing": "false 0", "no client": "false 0",
	}}
	testworld.Equal(t, "outputs", want, got)
}

func TestAccessMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, "data \"kuma_access\" \"test\" {\n  %s\n}\n", map[string]providertest.Mistake{
		"no mesh":  {`mesh = "nowhere"`, `Mesh "nowhere" is neither stored nor planned, or the plan destroys it\.`},
		"no names": {`to = "payments"`, `set of string required`},
	})
	providertest.CheckMistakes(t, "output \"test\" {\n  value = provider::kuma::access(\"{type: Mesh, name: default}\", %s)\n}\n", map[string]providertest.Mistake{
		"unknown option": {`"default", { tos = ["a"] }`, `"tos" is not a valid option\. Valid options: from, kuma_version, to or with_shadow`},
	})
}

// TestAccessWarnsOfUnknownNames checks that a misspelled service or client does not silently
// empty the list that a condition evaluates.
func TestAccessWarnsOfUnknownNames(t *testing.T) {
	t.Parallel()
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + `
provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
  }
}
data "kuma_access" "payments" {
  documents = ["{type: Mesh, name: default}"]
  from      = ["storefornt"]
  to        = ["paymants"]
}
`})
	const want = `Client not found .* has no client "storefornt", neither stored nor planned .* Service not found .* has no service "paymants"`
	if out := c.Must(t, "plan"); !providertest.Expression(want).MatchString(out) {
		t.Errorf("want %s in\n%s", want, out)
	}
}
