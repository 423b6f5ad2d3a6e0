package command_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCases asks about small meshes of strangers, each of which was once answered wrongly. What is
// right was read from the configuration that a control plane generated for connected proxies.
func TestCases(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		arguments string // file names are those of testdata/cases, without .yaml
		want      []string
		not       []string
	}{
		"outbounds by tag keep their settings in mode Exclusive": {
			"impact -kuma-version 2.14 exclusive-tags-before exclusive-tags-after",
			[]string{"no dataplane changes"},
			nil,
		},
		"reachableServices list nothing in mode Exclusive": {
			"impact -kuma-version 2.14 reachable-services reachable-services-exclusive",
			[]string{"1 of 3 dataplanes change", "1 dataplane changes: shop-1", "the proxy no longer reaches it"},
			[]string{"unset"},
		},
		"a transparent proxy with reachableServices": {
			"request -kuma-version 2.14 -dataplane shop-1 -service api reachable-services-exclusive", []string{"Verdict: unreachable"}, nil,
		},
		"permissive mode, by tag: access": {
			"access -kuma-version 2.14 permissive-tags", []string{"Allowed, in plaintext:", "orders can call cart:80"}, []string{"cannot call"},
		},
		"permissive mode, by tag: request": {
			"request -kuma-version 2.14 -dataplane orders-1 -service cart permissive-tags",
			[]string{"Verdict: allowed", "the client sends plaintext through an outbound by tags"},
			[]string{"the client has no certificate"},
		},
		"no outbound: request": {"request -kuma-version 2.14 -dataplane plain-1 -service api no-outbound", []string{"Verdict: unreachable", "no outbounds"}, nil},
		"no outbound: access":  {"access -kuma-version 2.14 no-outbound", []string{"plain-1 may call api:80"}, []string{"plain-1 can call"}},
		"no outbound: 3.0":     {"access -kuma-version 3.0 no-outbound", []string{"may call api:80"}, []string{"plain can call", "transparent can call"}},
		"two equal outbounds":  {"lint -kuma-version 2.14 no-outbound", []string{"same-port-1"}, nil},
		"a reference without port has the only port": {
			"request -kuma-version 3.0 -dataplane web-1 -service pay -path /pay.v1 no-port-3.0", []string{"Verdict: allowed"}, []string{"500"},
		},
		"the section of a reference wins over its port": {
			"request -kuma-version 2.14 -dataplane web-1 -service api -path /v2 section-beside-port", []string{"to db, port 80"}, []string{"port 90"},
		},
		"a route replaces the request timeout of its service": {
			"request -kuma-version 2.14 -dataplane app-1 -service kv route-timeout", []string{"request 15s", `stream idle 55s (MeshTimeout "route")`}, []string{"1m6s"},
		},
		"a route keeps the stream idle timeout of its service": {
			"request -kuma-version 2.14 -dataplane app-1 -service kv route-stream-idle", []string{`request 55s (MeshTimeout "route")`, `stream idle 1m7s (MeshTimeout "svc")`}, nil,
		},
		"lint of the stream idle timeout": {"lint -kuma-version 2.14 route-stream-idle", []string{"no findings"}, nil},
		"retries on status codes": {
			"request -kuma-version 2.14 -dataplane app-1 -service kv retry-status-only", []string{"connect-failure, gateway-error, refused-stream, 503"}, nil,
		},
		"retries that a route loses":    {"lint -kuma-version 2.14 retry-on-route", []string{"lost-on-route: MeshRetry", "http.numRetries"}, nil},
		"wrong protocol: lint":          {"lint -kuma-version 2.14 wrong-protocol", []string{"4 warnings", "wrong-protocol"}, nil},
		"a mirror to a TCP port":        {"lint -kuma-version 2.14 mirror-tcp", []string{"proxies-frozen"}, nil},
		"a mirror by the name of a tag": {"lint -kuma-version 2.14 mirror-name-port-of-tag", nil, []string{"proxies-frozen"}},
		"a mirror by labels":            {"lint -kuma-version 2.14 mirror-labels", []string{"proxies-frozen"}, nil},
		"a broken server":               {"request -kuma-version 2.14 -dataplane web-1 -service api broken-server", []string{"Verdict: unknown"}, nil},
		"a broken server: access": {
			"access -kuma-version 2.14 broken-server", []string{"Not known:", `Dataplane "api-1"`}, []string{"can call api:80: the service"},
		},
		"an inbound with an unsupported protocol": {
			"request -kuma-version 2.14 -dataplane web-1 -service db unsupported-protocol", []string{"Verdict: unknown", `protocol "MySQL"`}, nil,
		},
		"an inbound with an unsupported protocol: access": {
			"access -kuma-version 2.14 unsupported-protocol", []string{"Whether db and web can call db:80 is not known", "web can call web:8080"}, nil,
		},
		"an inbound with an unsupported protocol: lint": {
			"lint -kuma-version 2.14 unsupported-protocol", []string{"1 error", "proxies of db-1 no longer get any update"}, []string{"web-1"},
		},
		"services that select all proxies": {
			"access -kuma-version 2.14 service-of-all", []string{"all/every (web-1) can call all:80 and every:80"}, nil,
		},
		"services that select all proxies: lint": {"lint -kuma-version 2.14 service-of-all", []string{"no findings"}, nil},
		"several services for one port": {
			"request -kuma-version 3.0 -dataplane web-1 -service one several-match-one-port", []string{"Verdict: unknown", "selects several services"}, nil,
		},
		"generated services, 2.14": {"lint -kuma-version 2.14 generated-2.14", nil, []string{"dangling"}},
		"generated services, 3.0":  {"lint -kuma-version 3.0 generated-3.0", nil, []string{"dangling"}},
		"request to a generated service": {
			"request -kuma-version 3.0 -dataplane portal-1 -service blue generated-3.0", []string{"Verdict: allowed", "7s"}, nil,
		},
		"two protocols on one port": {"lint -kuma-version 2.14 passthrough-two-protocols", []string{"proxies-frozen"}, nil},
		"hash policy SourceIP":      {"lint -kuma-version 2.14 hash-source-ip", []string{"error harmful", "Connection"}, nil},
		"hash policy SourceIP: request": {
			"request -kuma-version 2.14 -dataplane web-1 -service api hash-source-ip", []string{"Verdict: unknown", "SourceIP"}, nil,
		},
		"hash policy SourceIP: access": {"access -kuma-version 2.14 hash-source-ip", []string{"Not known:", "SourceIP"}, []string{"can call api:80: the"}},
		"hash policy SourceIP: 3.0":    {"lint -kuma-version 3.0 hash-source-ip", []string{"SourceIP breaks the proxies. A control plane of Kuma 3.0 rejects"}, nil},
		"no appProtocol: 2.9":          {"request -kuma-version 2.9 -dataplane web-1 -service api no-app-protocol", []string{"Verdict: unreachable"}, nil},
		"no appProtocol: mz 2.9":       {"request -kuma-version 2.9 -dataplane web-1 -service mz no-app-protocol", []string{"Verdict: unreachable"}, nil},
		"no appProtocol: 2.10":         {"request -kuma-version 2.10 -dataplane web-1 -service api no-app-protocol", []string{"Verdict: allowed"}, nil},
		"listeners by tag":             {"lint -kuma-version 2.14 gateway-listeners-by-tag", nil, []string{"overridden-everywhere", "decided-by-name"}},
		"policies of two listeners: impact": {
			"impact -kuma-version 2.14 gateway-two-listeners gateway-two-listeners-removed",
			[]string{`MeshTimeout, to any service through port 8443 of MeshGateway "edge-gateway"`, "`http.requestTimeout`: `8s` → unset, previously set by t-https to[0]"},
			[]string{"8080", "no effect"},
		},
		"policies of two listeners: lint": {"lint -kuma-version 2.14 gateway-two-listeners", []string{"no findings"}, nil},
		"policies of two listeners: one": {
			"request -kuma-version 2.14 -dataplane edge-1 -host a.example -port 8080 gateway-two-listeners", []string{`request 7s (MeshTimeout "t-http")`}, nil,
		},
		"policies of two listeners: the other": {
			"request -kuma-version 2.14 -dataplane edge-1 -host a.example -port 8443 gateway-two-listeners", []string{`request 8s (MeshTimeout "t-https")`}, nil,
		},
		"policies of two listeners: without the other": {
			"request -kuma-version 2.14 -dataplane edge-1 -host a.example -port 8443 gateway-two-listeners-removed", []string{"request 15s"}, nil,
		},
		"an entry for a route on a gateway: impact": {
			"impact -kuma-version 2.14 gateway-route-timeout gateway-route-timeout-removed",
			[]string{"no dataplane changes", "1 policy change has no effect"},
			[]string{"unset"},
		},
		"an entry for a route on a gateway: lint": {
			"lint -kuma-version 2.14 gateway-route-timeout", []string{"route-entry-by-tags", "no effect on requests through edge-1"}, nil,
		},
		"an entry for a route on a gateway: request": {
			"request -kuma-version 2.14 -dataplane edge-1 -host a.example -port 8080 gateway-route-timeout", []string{"request 15s"}, []string{"request 5s"},
		},
		"selectors without a match": {"lint -kuma-version 2.14 selects-nothing", []string{"selects-nothing", "port-without-inbound", "no-host-names"}, nil},
		"an identity for all":       {"access -kuma-version 2.14 identity-without-match-labels", nil, []string{"has no certificate"}},
		"an entry for a route by tags": {
			"lint -kuma-version 2.14 route-entry-by-tags",
			[]string{"route-entry-by-tags", "spec.to[0] of this policy does not apply there", "to a policy of its own"},
			nil,
		},
		"a request beside an entry for a route by tags": {
			"request -kuma-version 2.14 -dataplane cli-1 -service backend route-entry-by-tags", []string{"request none"}, []string{"15s (MeshTimeout", "5s (MeshTimeout"},
		},
		"a top-level route": {
			"lint -kuma-version 2.14 top-level-route", []string{"top-level-route", "spec.to[].targetRef"}, []string{"Use Dataplane with labels"},
		},
		"a top-level route in mode Exclusive": {"lint -kuma-version 2.14 top-level-route-exclusive", []string{"top-level-route: MeshTimeout", "has no effect"}, nil},
		"a request on a top-level route": {
			"request -kuma-version 2.14 -dataplane frontend-1 -service backend -path /slow-endpoint top-level-route-exclusive", []string{"request 15s"}, []string{"30s"},
		},
		"a section and a tag": {
			"lint -kuma-version 2.14 section-and-tag", []string{"dangling-section", "only applies to requests by the tag kuma.io/service"}, []string{"has no effect"},
		},
		"a request to a section and a tag": {
			"request -kuma-version 2.14 -dataplane cli-1 -service backend section-and-tag", []string{`request 5s (MeshTimeout "t")`}, nil,
		},
		"a backend in a Kubernetes zone": {"lint -kuma-version 2.14 backend-in-kubernetes-zone", []string{"backend-without-namespace", "k8s.kuma.io/namespace: a"}, nil},
		"two of them":                    {"lint -kuma-version 2.14 backend-in-kubernetes-zone-two", []string{"ambiguous-backend", "k8s.kuma.io/namespace, which is a or b"}, nil},
		"an unknown zone":                {"access -kuma-version 2.14 identity-zone-unknown", nil, []string{"template:"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fields := strings.Fields(tt.arguments)
			files := 1
			if fields[0] == "impact" {
				files = 2
			}
			for i := len(fields) - files; i < len(fields); i++ {
				fields[i] = filepath.Join("testdata", "cases", fields[i]+".yaml")
			}
			out, errs, _ := run(t, "", fields...)
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing:\n%s%s", want, out, errs)
				}
			}
			for _, not := range tt.not {
				if out == "" || strings.Contains(out, not) {
					t.Errorf("%q is said:\n%s%s", not, out, errs)
				}
			}
		})
	}
}
