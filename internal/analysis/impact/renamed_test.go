package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOutboundOfTagBecomesReference checks that what a proxy sends by tags on Kuma 2 is compared with what it sends to the
// service that the same outbound refers to on Kuma 3.0.
func TestOutboundOfTagBecomesReference(t *testing.T) {
	t.Parallel()
	const (
		shop = `
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api, version: v1}, networking: {address: 10.0.0.1, transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {}}, inbound: [{port: 80, protocol: http, tags: {kuma.io/service: api, kuma.io/protocol: http, version: v1}}]}}
---
{type: Dataplane, mesh: shop, name: web-2, networking: {address: 10.0.0.3, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, `
		byTag  = shop + "tags: {kuma.io/service: api}}]}}\n"
		byRef  = shop + "backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}\n"
		retry  = "---\n{type: MeshRetry, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, %s}, default: {http: {numRetries: %d}}}]}}\n"
		canary = "---\n{type: MeshHTTPRoute, mesh: shop, name: c, spec: {to: [{targetRef: {kind: MeshService, %s}, rules: [{matches: [{path: {type: Exact, value: /x}}], default: {backendRefs: [{kind: MeshServiceSubset, name: api, tags: {version: v1}}]}}]}]}}\n"
		name   = "name: api"
		labels = "labels: {app: api}"
	)
	const (
		bare       = "{type: Mesh, name: shop, meshServices: {mode: Everywhere}}\n---"
		timeouts   = "\n{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 9s, streamIdleTimeout: 9s}}}]}}\n---"
		everywhere = bare + timeouts
		disabled   = "{type: Mesh, name: shop}\n---" + timeouts
	)
	for title, test := range map[string]struct {
		mesh, before, after string
		want                []string
	}{
		"nothing changes":                {everywhere, fmt.Sprintf(retry, name, 3), fmt.Sprintf(retry, labels, 3), nil},
		"nothing changes, mode Disabled": {disabled, fmt.Sprintf(retry, name, 3), fmt.Sprintf(retry, labels, 3), nil},
		"a setting is lost":              {everywhere, fmt.Sprintf(retry, name, 3), "", []string{"web-1, web-2: MeshRetry http.numRetries 3 -> unset"}},
		"a setting differs":              {disabled, fmt.Sprintf(retry, name, 3), fmt.Sprintf(retry, labels, 4), []string{"web-1, web-2: MeshRetry http.numRetries 3 -> 4"}},
		"a setting is new":               {everywhere, "", fmt.Sprintf(retry, labels, 4), []string{"web-1, web-2: MeshRetry http.numRetries unset -> 4"}},
		"defaults":                       {bare, "", "", []string{"web-1: GET / on api port 1: api (idle timeout of streams 5m0s, no retries, request timeout 0s) → api (idle timeout of streams 30m0s, no retries, request timeout 15s)"}},
		"another protocol": {
			strings.Replace(bare, "\n---", "\n---\n{type: Dataplane, mesh: shop, name: api-2, labels: {app: api}, networking: {address: 10.0.0.4, inbound: [{port: 80, tags: {kuma.io/service: api, kuma.io/protocol: http2}}]}}\n---", 1), "", "",
			[]string{"web-1: connections on api port 1: api (protocol tcp, no retries) → api (protocol http, idle timeout of streams 30m0s, no retries, request timeout 15s)"},
		},
		"a proxy has another port": {
			strings.Replace(bare, "\n---", "\n---\n{type: Dataplane, mesh: shop, name: api-2, labels: {app: api}, networking: {address: 10.0.0.4, inbound: [{port: 81, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}\n---", 1), "", "",
			[]string{
				`web-1: Dataplane endpoints ["api-1 port 80","api-2 port 81"] -> ["api-1 port 80"]`,
				"web-1: GET / on api port 1: api (idle timeout of streams 5m0s, no retries, request timeout 0s) → api (idle timeout of streams 30m0s, no retries, request timeout 15s)",
			},
		},
		"a canary fails": {
			everywhere, fmt.Sprintf(canary, name), fmt.Sprintf(canary, labels),
			[]string{
				"web-2: GET /x on api port 80 answers 500, before: api (version=v1)", "web-2: GET /other on api port 80 answers 404, before: api",
				"web-1: GET /x on api port 1 answers 500, before: api (version=v1)", "web-1: GET /other on api port 1 answers 404, before: api",
			},
		},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			snapshot := func(r kuma.Release, texts ...string) *rules.Snapshot {
				return rules.NewSnapshotFor(r, testworld.Resources(t, strings.Join(texts, ""))).RestrictOutbound(false)
			}
			found, err := impact.CompareProxies(snapshot(kuma.Newest2(), test.mesh, byTag, test.before), snapshot(rules.Newest(), test.mesh, byRef, test.after), "shop")
			testworld.NoError(t, err)
			var got []string
			for _, r := range found.Rows() {
				if r.Type != kuma.KindMeshHTTPRoute && r.Dataplanes[0] != "api-1" {
					got = append(got, fmt.Sprintf("%s: %s %s %s -> %s", strings.Join(r.Dataplanes, ", "), r.Type, r.Path, value(r.Before), value(r.After)))
				}
			}
			for _, r := range found.RequestsChanged {
				got = append(got, strings.Join(r.Clients, ", ")+": "+r.String())
			}
			testworld.Equal(t, "changes", test.want, got)
		})
	}
}

// TestOutboundToNoProxy checks that losing an outbound by tags that no Dataplane has changes nothing on Kuma 3.
func TestOutboundToNoProxy(t *testing.T) {
	t.Parallel()
	for tags, want := range map[string]int{"version: v1": 1, "version: v9": 0} {
		documents := `{type: Mesh, name: shop}
---
{type: Dataplane, mesh: shop, name: api-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: api, version: v1}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, tags: {kuma.io/service: api, ` + tags + `}}]}}`
		snapshot := func(r kuma.Release) *rules.Snapshot {
			return rules.NewSnapshotFor(r, testworld.Resources(t, documents)).RestrictOutbound(false)
		}
		found, err := impact.CompareProxies(snapshot(kuma.Newest2()), snapshot(rules.Newest()), "shop")
		testworld.NoError(t, err)
		lost := 0
		for _, r := range found.Rows() {
			if r.Path == impact.ReachablePath && slices.Contains(r.Dataplanes, "web-1") {
				lost++
			}
		}
		testworld.Equal(t, tags, want, lost)
	}
}

// TestOutboundWithoutBackends checks that an outbound that becomes a reference does not change if its route has no existing backend,
// so that the proxy does not listen.
func TestOutboundWithoutBackends(t *testing.T) {
	t.Parallel()
	const documents = `{type: Mesh, name: shop, meshServices: {mode: Everywhere}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {kuma.io/workload: api, app: api}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, %s}]}}
---
{type: MeshTCPRoute, mesh: shop, name: c, spec: {to: [{targetRef: {kind: MeshService, %s}, rules: [{default: {backendRefs: [{kind: MeshExternalService, labels: {a: b}, port: 1}]}}]}]}}`
	snapshot := func(r kuma.Release, outbound, target string) *rules.Snapshot {
		return rules.NewSnapshotFor(r, testworld.Resources(t, fmt.Sprintf(documents, outbound, target))).RestrictOutbound(false)
	}
	before := snapshot(kuma.Newest2(), "tags: {kuma.io/service: api}", "name: api")
	after := snapshot(rules.Newest(), "backendRef: {kind: MeshService, labels: {app: api}, port: 80}", "labels: {app: api}")
	if found, err := impact.CompareProxies(before, after, "shop"); err != nil || slices.Contains(found.Changed(), "web-1") {
		t.Error(err, found.Summary())
	}
}
