package impact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const pair = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 9000, name: main, tags: {kuma.io/service: web, kuma.io/protocol: http}}], outbound: [{port: 11000, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
{type: Dataplane, mesh: m, name: tp, networking: {address: 10.0.0.2, inbound: [{port: 9000}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {refs: []}}}}
---
{type: Dataplane, mesh: m, name: api, labels: {app: api}, networking: {address: 10.0.0.3, inbound: [{port: 9000, name: main}, {port: 9001, name: aux}]}}
---
{type: MeshService, mesh: m, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}, {port: 81, targetPort: 9001, appProtocol: tcp}]}}
`

// changedBy returns the summary of an edit of documents, and the dataplanes that it and its opposite name.
func changedBy(t *testing.T, documents, old, edited string) (summary string, names, back []string) {
	t.Helper()
	if !strings.Contains(documents, old) {
		t.Fatalf("no %q", old)
	}
	read := func(text string) *rules.Snapshot {
		return rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, text))
	}
	before, after := read(documents), read(strings.Replace(documents, old, edited, 1))
	found, err := impact.Compare(before, after, "m")
	testworld.NoError(t, err)
	opposite, err := impact.Compare(after, before, "m")
	testworld.NoError(t, err)
	return found.Summary(), found.Changed(), opposite.Changed()
}

// TestOwnSettings compares settings that a Dataplane has for its own proxy, as read from the configuration of
// proxies of Kuma 2.14.3 before and after each edit.
func TestOwnSettings(t *testing.T) {
	for _, c := range []struct{ name, old, edited, want, line string }{
		{"another port of an outbound", "port: 11000", "port: 11010", "web", "`networking.outbound[0].port`: `11000` → `11010`, set by web"},
		{"another address of an outbound", "{port: 11000", "{port: 11000, address: 127.0.0.9", "web", "`networking.outbound[0].address`: unset → `127.0.0.9`, set by web"},
		{"a second outbound to a port", "outbound: [", "outbound: [{port: 11001, backendRef: {kind: MeshService, name: api, port: 80}}, ", "web", "`networking.outbound`"},
		{"another subset of proxies", "outbound: [{port: 11000, backendRef: {kind: MeshService, name: api, port: 80}}]", "outbound: [{port: 11000, tags: {kuma.io/service: api}}]", "web", ""},
		{"the address", "address: 10.0.0.1", "address: 10.0.0.9", "web", "`networking.address`: `10.0.0.1` → `10.0.0.9`"},
		{"the port of the application", "{port: 9000, name: main, tags", "{port: 9000, servicePort: 8080, name: main, tags", "web", "`networking.inbound[0].servicePort`"},
		{"the protocol by its tag", "kuma.io/protocol: http", "kuma.io/protocol: tcp", "web", "`networking.inbound[0].protocol`: `http` → `tcp`"},
		{"the port of the redirection", "redirectPortOutbound: 15001", "redirectPortOutbound: 15011", "tp", "`networking.transparentProxying.redirectPortOutbound`"},
		{"direct access", "reachableBackends: {refs: []}", "reachableBackends: {refs: []}, directAccessServices: ['*']", "tp", "`networking.transparentProxying.directAccessServices`"},
		{"probes", "labels: {app: web},", "labels: {app: web}, probes: {port: 9998, endpoints: [{inboundPort: 9000, inboundPath: /a, path: /b}]},", "web", "`probes`: unset"},
		{"metrics", "labels: {app: web},", "labels: {app: web}, metrics: {type: prometheus, conf: {port: 1}},", "web", "`metrics`: unset"},
		{"the protocol of the tag as a field", "name: main, tags: {kuma.io/service: web, kuma.io/protocol: http}", "name: main, protocol: http, tags: {kuma.io/service: web}", "", ""},
		{"the port of the administration", "address: 10.0.0.1", "address: 10.0.0.1, admin: {port: 9999}", "", ""},
		{"the protocol of a port without a listener", "targetPort: 9001, appProtocol: tcp", "targetPort: 9001, appProtocol: http", "", ""},
		{"a tag", "kuma.io/service: web,", "kuma.io/service: web, team: a,", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			summary, names, back := changedBy(t, pair, c.old, c.edited)
			if got := strings.Join(names, " "); got != c.want || !slices.Equal(names, back) || !strings.Contains(summary, c.line) {
				t.Errorf("got %v, back %v:\n%s", names, back, summary)
			}
		})
	}
}
