package impact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTimeoutsForSomeClients checks that a MeshTimeout for some clients changes the timeouts of all
// others, as measured on 2.14.3 and the preview of 3.0 (proxies.md §4).
func TestTimeoutsForSomeClients(t *testing.T) {
	t.Parallel()
	const (
		world = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http, tags: {kuma.io/service: web, kuma.io/protocol: http}}, {port: 90, protocol: tcp, tags: {kuma.io/service: db}}]}}
`
		some = `---
{type: MeshTimeout, mesh: m, name: t, spec: {rules: [{matches: [{spiffeID: {type: Prefix, value: "spiffe://m/x"}}], default: {http: {requestTimeout: 3s}}}]}}
`
		all = `---
{type: MeshTimeout, mesh: m, name: t, spec: {rules: [{default: {http: {requestTimeout: 3s}}}]}}
`
	)
	for name, tt := range map[string]struct {
		policy string
		want   []string
	}{
		"some clients": {some, []string{
			`port 80: connectionTimeout "5s" -> "10s"`, `port 80: http.requestTimeout "15s" -> "0s"`,
			`port 80: http.streamIdleTimeout "30m0s" -> "1h0m0s"`, `port 80: idleTimeout "1h0m0s" -> "2h0m0s"`,
			`port 80, {"spiffeID":{"type":"Prefix","value":"spiffe://m/x"}}: http.requestTimeout unset -> "3s"`,
			`port 90: connectionTimeout "5s" -> "10s"`, `port 90: idleTimeout "1h0m0s" -> "2h0m0s"`,
		}},
		"all clients": {all, []string{`port 80: http.requestTimeout unset -> "3s"`}},
	} {
		found := compare(t, rules.NewSnapshot(testworld.Resources(t, world)), rules.NewSnapshot(testworld.Resources(t, world+tt.policy)), "m")
		var got []string
		for _, r := range found.Rows() {
			got = append(got, fmt.Sprintf("%s: %s %s -> %s", r.Destination, r.Path, value(r.Before), value(r.After)))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || len(found.WithoutEffect) > 0 {
			t.Errorf("%s: changes (-want +got), without effect %v:\n%s", name, found.WithoutEffect, diff)
		}
	}
}

// TestModeOfMutualTLS changes whether the services of a mesh accept plaintext, which no policy sets.
func TestModeOfMutualTLS(t *testing.T) {
	t.Parallel()
	const mesh = "{type: Mesh, name: m, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin, mode: %s}]}}\n---\n" +
		"{type: Dataplane, mesh: m, name: api-1, networking: {address: 10.0.0.1, inbound: [{port: 80, name: main, tags: {kuma.io/service: api}}, {port: 81, protocol: tcp, tags: {kuma.io/service: admin}}]}}"
	const tls = "\n---\n{type: MeshTLS, mesh: m, name: tls, spec: {targetRef: {kind: Dataplane, sectionName: main}, rules: [{default: {mode: %s}}]}}"
	permissive, strict := fmt.Sprintf(mesh, "PERMISSIVE"), fmt.Sprintf(mesh, "STRICT")
	for name, tt := range map[string]struct {
		before, after string
		want          []string
	}{
		"strict":             {permissive, strict, []string{`api-1: rules port 80 mode: Permissive -> Strict`, `api-1: rules port 81 mode: Permissive -> Strict`}},
		"set by a policy":    {permissive + fmt.Sprintf(tls, "Strict"), strict + fmt.Sprintf(tls, "Strict"), []string{`api-1: rules port 81 mode: Permissive -> Strict`}},
		"the same":           {permissive, permissive + fmt.Sprintf(tls, "Permissive"), nil},
		"without encryption": {permissive, "{type: Mesh, name: m, meshServices: {mode: Exclusive}}\n" + permissive[strings.Index(permissive, "---"):], nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := compare(t, snapshotOf(t, tt.before), snapshotOf(t, tt.after), "m", kinds.MeshTLS.Name)
			var rows []string
			for _, r := range i.Rows() {
				rows = append(rows, fmt.Sprintf("%s: %s %s %s: %s -> %s", strings.Join(r.Dataplanes, ","), r.Direction, r.Destination, r.Path, strings.Trim(r.Before.JSON, `"`), strings.Trim(r.After.JSON, `"`)))
			}
			testworld.Equal(t, "changes", tt.want, rows)
		})
	}
}

// TestSameMeaning writes values that proxies do not distinguish, as read from the configuration of proxies of 2.14.3.
func TestSameMeaning(t *testing.T) {
	t.Parallel()
	const (
		header = `{matches: [{path: {type: PathPrefix, value: /a}}], default: {filters: [{type: RequestHeaderModifier, requestHeaderModifier: {add: [{name: h, value: "5"}]}}]}}`
		other  = `, {matches: [{path: {type: PathPrefix, value: /a}}%s], default: {filters: [{type: RequestHeaderModifier, requestHeaderModifier: {add: [{name: g, value: "6"}]}}]}}`
		world  = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: api, labels: {app: api}, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http}], outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
{type: MeshService, mesh: m, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshLoadBalancingStrategy, mesh: m, name: p, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: RingHash, ringHash: {hashPolicies: [{type: Header, header: {name: x}}]}}}}]}}
---
{type: MeshAccessLog, mesh: m, name: p, spec: {to: [{targetRef: {kind: Mesh}, default: {backends: [{type: OpenTelemetry, openTelemetry: {endpoint: "o.example:4317", body: {a: b}}}]}}]}}
---
{type: MeshFaultInjection, mesh: m, name: p, spec: {rules: [{default: {http: [{abort: {httpStatus: 500, percentage: 5}}]}}]}}
---
{type: MeshTrace, mesh: m, name: p, spec: {default: {backends: [{type: Zipkin, zipkin: {url: "http://j.example:9411/api"}}], sampling: {overall: 50}}}}
---
{type: MeshRateLimit, mesh: m, name: p, spec: {rules: [{default: {local: {http: {requestRate: {num: 5, interval: 10s}, onRateLimit: {headers: {add: [{name: h, value: v}]}}}}}}]}}
---
{type: MeshHTTPRoute, mesh: m, name: r, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [` + header + `]}]}}
`
	)
	for name, edit := range map[string][2]string{
		"hash policy that is not terminal": {"header: {name: x}", "header: {name: x}, terminal: false"},
		"no attributes of a log":           {"body: {a: b}", "body: {a: b}, attributes: []"},
		"percentage of faults":             {"percentage: 5", `percentage: "5.0"`},
		"percentage of traces":             {"overall: 50", `overall: "50.0"`},
		"no other headers of a response":   {"headers: {add", "headers: {set: [], add"},
		"no other headers of a request":    {"requestHeaderModifier: {add", "requestHeaderModifier: {set: [], add"},
		"match without headers":            {"value: /a}}", "value: /a}, headers: []}"},
		"rule with a match that is taken":  {header, header + fmt.Sprintf(other, "")},
		"the same match twice":             {header, header + fmt.Sprintf(other, ", {path: {type: PathPrefix, value: /a}}")},
	} {
		summary, names, back := changedBy(t, world, edit[0], edit[1])
		if len(names)+len(back) > 0 {
			t.Errorf("%s: %v and back %v:\n%s", name, names, back, summary)
		}
	}
	for name, edit := range map[string][2]string{
		"a match that is not taken": {header, header + fmt.Sprintf(other, ", {path: {type: PathPrefix, value: /b}}")},
		"a header":                  {`value: "5"`, `value: "5.0"`},
		"another percentage":        {"percentage: 5", `percentage: "5.5"`},
	} {
		if summary, names, _ := changedBy(t, world, edit[0], edit[1]); len(names) == 0 {
			t.Errorf("%s: no change\n%s", name, summary)
		}
	}
}

// TestTrustOfMeshCertificates creates the first MeshTrust of a mesh with mutual TLS. Clients with a certificate of the mesh then trust what
// it trusts, and no longer compare the SPIFFE IDs of services (measured on 2.14.3).
func TestTrustOfMeshCertificates(t *testing.T) {
	t.Parallel()
	const (
		world = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
---
{type: Dataplane, mesh: m, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
{type: Dataplane, mesh: m, name: api, labels: {app: api}, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}
---
{type: MeshService, mesh: m, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80}]}}
`
		trust    = "---\n{type: MeshTrust, mesh: m, name: td, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: a}}]}}\n"
		identity = "---\n{type: MeshIdentity, mesh: m, name: id, spec: {selector: {dataplane: {matchLabels: {app: %s}}}, spiffeID: {trustDomain: td, path: /api}, provider: {type: Bundled}}}\n"
	)
	last := "ports: [{port: 80, targetPort: 80}]}}\n"
	testworld.Equal(t, "of the first MeshTrust", []string{"api", "web"}, changedNames(t, world, last, last+trust))
	testworld.Equal(t, "of an identity", []string{"api"}, changedNames(t, world+trust+fmt.Sprintf(identity, "none"), "app: none", "app: api"))
}

func changedNames(t *testing.T, documents, old, edited string) []string {
	t.Helper()
	_, names, _ := changedBy(t, documents, old, edited)
	return names
}
