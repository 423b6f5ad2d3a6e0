package analysis_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// proxies are n proxies of the service web; those of the team pay have their
// own timeout.
func proxies(n int) string {
	docs := []string{
		"{type: Mesh, name: shop, meshServices: {mode: Exclusive}}",
		"{type: MeshService, mesh: shop, name: web, spec: {selector: {dataplaneTags: {kuma.io/service: web}}, ports: [{port: 80, name: http}]}}",
		"{type: MeshTimeout, mesh: shop, name: all, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 5s}}}]}}",
		"{type: MeshTimeout, mesh: shop, name: inbound, spec: {rules: [{default: {idleTimeout: 1h}}]}}",
		"{type: MeshTimeout, mesh: shop, name: pay, spec: {targetRef: {kind: Dataplane, labels: {team: pay}}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 9s}}}]}}",
		"{type: MeshMetric, mesh: shop, name: all, spec: {default: {backends: [{type: Prometheus, prometheus: {port: 5670, path: /metrics}}]}}}",
	}
	for i := range n {
		team := "web"
		if i%10 == 9 {
			team = "pay"
		}
		docs = append(docs, fmt.Sprintf("{type: Dataplane, mesh: shop, name: web-%05d, labels: {team: %s}, networking: {address: 10.%d.%d.%d, inbound: [{port: 8080, name: http, tags: {kuma.io/service: web, instance: i-%d}}]}}",
			i, team, i>>16, i>>8&255, i&255, i))
	}
	return strings.Join(docs, "\n---\n")
}

// TestEffectiveRulesOfManyProxies checks the rules of all proxies of a service or a
// selector, in groups with equal rules.
func TestEffectiveRulesOfManyProxies(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+"locals {\n  documents = [<<-YAML\n"+proxies(40)+"\nYAML\n  ]\n}"+`
data "kuma_effective_rules" "web" {
  mesh      = "shop"
  documents = local.documents
  include   = ["conf"]
  dataplanes {
    service = "web"
  }
}
data "kuma_effective_rules" "pay" {
  mesh      = "shop"
  documents = local.documents
  dataplanes {
    labels = { team = "pay" }
    tags   = { instance = "*" }
  }
}
data "kuma_effective_rules" "one" {
  mesh      = "shop"
  documents = local.documents
  dataplane = "web-00009"
}
data "kuma_effective_rules" "none" {
  mesh      = "shop"
  documents = local.documents
  dataplanes {
    labels = { team = "none" }
  }
}
locals {
  web  = data.kuma_effective_rules.web
  pay  = data.kuma_effective_rules.pay
  one  = data.kuma_effective_rules.one
  none = data.kuma_effective_rules.none
}
output "groups" { value = [for g in local.web.groups : [g.dataplane_count, g.dataplanes[0], g.conf]] }
output "explanation" { value = local.web.explanation }
output "counts" { value = [local.web.group_count, local.none.group_count, length(local.none.groups)] }
output "null" { value = [local.pay.groups[0].conf, local.one.groups] }
output "same" { value = local.pay.digest == local.one.digest && local.pay.groups[0].digest == local.web.groups[1].digest }
`)
	group := func(count float64, first, timeout string) any {
		conf := fmt.Sprintf(`{"MeshMetric":{"proxy":{"backends":[{"prometheus":{"path":"/metrics","port":5670},"type":"Prometheus"}]}},"MeshTimeout":{"kri_m____shop_":{"http":{"requestTimeout":%q}}}}`, timeout)
		return []any{count, first, conf}
	}
	want := map[string]any{
		"groups": []any{group(36, "web-00000", "5s"), group(4, "web-00009", "9s")},
		"counts": []any{2.0, 0.0, 0.0}, "null": []any{nil, nil}, "same": true,
		"explanation": `36 proxies: web-00000, web-00001, web-00002 and 33 more
  MeshTimeout
    to Mesh "shop"
      http.requestTimeout = 5s ← all
    inbound port 8080 (http)
      idleTimeout = 1h0m0s ← inbound
  MeshMetric
    the proxy
      backends = [{"prometheus":{"path":"/metrics","port":5670},"type":"Prometheus"}] ← all

4 proxies: web-00009, web-00019, web-00029 and web-00039
  MeshTimeout
    to Mesh "shop"
      http.requestTimeout = 9s ← pay, overrides 5s of all
    inbound port 8080 (http)
      idleTimeout = 1h0m0s ← inbound
  MeshMetric
    the proxy
      backends = [{"prometheus":{"path":"/metrics","port":5670},"type":"Prometheus"}] ← all`,
	}
	testworld.Equal(t, "outputs", want, got)
}

// TestRulesOfTenThousandProxies reads the rules of all proxies of a service from a
// control plane that holds ten times as many as KUMA_SCALE says.
func TestRulesOfTenThousandProxies(t *testing.T) {
	if os.Getenv("KUMA_SCALE") == "" {
		t.Skip("takes a minute; `make bench` sets KUMA_SCALE")
	}
	n := 10 * providertest.Size(1000)
	server, config := providertest.StartCounted(t)
	providertest.PutDocuments(t, server, proxies(n))
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + `
data "kuma_effective_rules" "web" {
  mesh    = "shop"
  include = ["conf"]
  dataplanes {
    service = "web"
  }
}
`})
	m := c.Measure(t, server, providertest.Programs(t)[0], "apply", "-auto-approve")
	state, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	testworld.NoError(t, err)
	t.Logf("rules of %d proxies: %s, state %d bytes", n, m, len(state))
	if most := int64(30 + n/100); m.Requests > most || len(state) > 50_000 {
		t.Errorf("%d requests and %d bytes of state for %d proxies", m.Requests, len(state), n)
	}
}
