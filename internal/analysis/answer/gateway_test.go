package answer_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// onGateway returns the answer for a builtin gateway with two listeners, for requests to api on
// the route r.
func onGateway(t *testing.T, policies ...string) answer.EffectiveRules {
	t.Helper()
	m := input.Mesh{Name: "default", ControlPlane: kuma.ControlPlane{Release: kuma.Newest2()}, Release: kuma.Newest2(), Resources: testworld.Resources(t, append([]string{
		"{type: Mesh, name: default}",
		"{type: Dataplane, name: edge-1, networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge, a: b}}}}",
		"{type: MeshGateway, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 8080, protocol: HTTP, tags: {l: a}}, {port: 8443, protocol: HTTP, tags: {l: b}}]}}",
		"{type: MeshService, name: api, spec: {ports: [{port: 80, appProtocol: http}]}}",
		"{type: MeshHTTPRoute, name: r, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: api, port: 80}]}}]}]}}",
	}, policies...)...)}
	types := []string{kinds.MeshTimeout.Name, kinds.MeshRetry.Name, kinds.MeshCircuitBreaker.Name, kinds.MeshRateLimit.Name}
	got, err := answer.OfEffectiveRules(m, answer.RulesQuestion{Dataplane: "edge-1", Kinds: types, Destination: &answer.Destination{Name: "api", Route: "r"}})
	testworld.NoError(t, err)
	return got
}

// TestRulesOfGateways shows that the answer for a builtin gateway is per listener, without what
// the gateway does not use. TestEntriesOnGateways of package proxies shows what that is.
func TestRulesOfGateways(t *testing.T) {
	t.Parallel()
	policy := func(kind, name, top, to string) string {
		return "{type: " + kind + ", name: " + name + ", spec: {targetRef: {" + top + "}, to: [" + to + "]}}"
	}
	const a, b, all = "kind: MeshGateway, name: edge, tags: {l: a}", "kind: MeshGateway, name: edge, tags: {l: b}", "kind: Mesh"
	const mesh, service, route = "targetRef: {kind: Mesh}", "targetRef: {kind: MeshService, name: api}", "targetRef: {kind: MeshHTTPRoute, name: r}"
	request := func(to, requests string) string {
		return "{" + to + ", default: {http: {requestTimeout: " + requests + "}}}"
	}
	const limit = `"conf":{"connectionLimits":{"maxConnections":3}}`
	const conf, kri = `"conf":{"http":{"requestTimeout":"7s"}}`, `"origin":["kri_mt_default___t_"]`
	for name, tt := range map[string]struct {
		policies          []string
		text, conf, warns string
		partly            bool // the warning is about a part of an entry
	}{
		"a policy for each listener": {
			[]string{policy("MeshTimeout", "t", a, request(mesh, "7s")), policy("MeshTimeout", "u", b, request(mesh, "8s"))},
			"MeshTimeout\n  port 8080 of MeshGateway \"edge\", to any service\n    http.requestTimeout = 7s ← t\n" +
				"  port 8443 of MeshGateway \"edge\", to any service\n    http.requestTimeout = 8s ← u",
			`{"MeshTimeout":{"conf":null,"kri":null,"listeners":{"8080":{` + conf + `,` + kri + `},"8443":{"conf":{"http":{"requestTimeout":"8s"}},"origin":["kri_mt_default___u_"]}},"origin":["kri_mt_default___t_","kri_mt_default___u_"],"passed":[],"step":"listener"}}`,
			"", false,
		},
		"a policy for one listener": {
			[]string{policy("MeshTimeout", "t", a, request(mesh, "7s"))},
			"MeshTimeout\n  port 8080 of MeshGateway \"edge\", to any service\n    http.requestTimeout = 7s ← t",
			`{"MeshTimeout":{"conf":null,"kri":null,"listeners":{"8080":{` + conf + `,` + kri + `},"8443":{"conf":null,"origin":[]}},` + kri + `,"passed":[],"step":"listener"}}`,
			"", false,
		},
		"a policy for all listeners": {
			[]string{policy("MeshTimeout", "t", all, request(mesh, "7s"))},
			"MeshTimeout\n  port 8080 of MeshGateway \"edge\", to any service\n    http.requestTimeout = 7s ← t\n" +
				"  port 8443 of MeshGateway \"edge\", to any service\n    http.requestTimeout = 7s ← t",
			`{"MeshTimeout":{` + conf + `,"kri":null,"listeners":{"8080":{` + conf + `,` + kri + `},"8443":{` + conf + `,` + kri + `}},` + kri + `,"passed":[],"step":"listener"}}`,
			"", false,
		},
		"an entry for a route": {
			[]string{policy("MeshTimeout", "t", all, request(route, "5s"))},
			"No policy has settings for this proxy.", "{}",
			`MeshTimeout "t": to[0] has no effect on requests through Dataplane "edge-1": a builtin gateway ignores entries for routes.`, false,
		},
		"an entry for a route, beside one for the mesh": {
			[]string{policy("MeshRetry", "t", all, "{"+route+", default: {http: {numRetries: 5}}}, {"+mesh+", default: {http: {numRetries: 6}}}")},
			"No policy has settings for this proxy.", "{}",
			`MeshRetry "t": to[0] has no effect on requests through Dataplane "edge-1": a builtin gateway ignores entries for routes. Because of that, to[1] does not apply there, either. Move the entries for routes to another policy.`, false,
		},
		"an entry for a service": {
			[]string{policy("MeshTimeout", "t", all, "{"+service+", default: {connectionTimeout: 3s, http: {requestTimeout: 5s}}}")},
			"MeshTimeout\n  to MeshService \"api\"\n    connectionTimeout = 3s ← t",
			`{"MeshTimeout":{"conf":{"connectionTimeout":"3s"},"kri":null,"listeners":{"8080":{"conf":{"connectionTimeout":"3s"},` + kri + `},"8443":{"conf":{"connectionTimeout":"3s"},` + kri + `}},` + kri + `,"passed":[],"step":"listener"}}`,
			"", true,
		},
		"connections of all listeners": {
			[]string{
				policy("MeshCircuitBreaker", "t", a, "{"+mesh+", default: {connectionLimits: {maxConnections: 3}}}"),
				policy("MeshCircuitBreaker", "u", b, "{"+mesh+", default: {connectionLimits: {maxConnections: 4}}}"),
			},
			"MeshCircuitBreaker\n  port 8080 of MeshGateway \"edge\", connections by tags to any service\n    connectionLimits.maxConnections = 3 ← t\n" +
				"  port 8443 of MeshGateway \"edge\", connections by tags to any service\n    connectionLimits.maxConnections = 4 ← u\n" +
				"  to Mesh \"default\"\n    connectionLimits.maxConnections = 3 ← t, overrides 4 of u",
			`{"MeshCircuitBreaker":{` + limit + `,"kri":null,"listeners":{"8080":{` + limit + `,"origin":["kri_mcb_default___t_","kri_mcb_default___u_"]},"8443":{` + limit + `,"origin":["kri_mcb_default___u_","kri_mcb_default___t_"]}},"origin":["kri_mcb_default___t_","kri_mcb_default___u_"],"passed":[],"step":"listener"}}`,
			"", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := onGateway(t, tt.policies...)
			testworld.Equal(t, "explanation", tt.text, got.Explanation)
			testworld.Equal(t, "destination_conf", tt.conf, phrase.JSON(got.DestinationConf))
			if got, want := len(got.IgnoredRules) > 0, tt.warns != "" && !tt.partly; got != want {
				t.Errorf("ignored_rules has entries: %t, want %t", got, want)
			}
			if warns := strings.Join(got.Warnings, "\n"); warns != tt.warns {
				t.Errorf("warnings: %s", warns)
			}
		})
	}
}

// TestDigestOfGateway shows that the digest changes with the settings of one listener.
func TestDigestOfGateway(t *testing.T) {
	t.Parallel()
	const a = "{type: MeshTimeout, name: a, spec: {targetRef: {kind: MeshGateway, name: edge, tags: {l: a}}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 7s}}}]}}"
	b := strings.NewReplacer("name: a", "name: b", "l: a", "l: b", "7s", "8s").Replace(a)
	const route = "{type: MeshTimeout, name: c, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {requestTimeout: 5s}}}]}}"
	both := onGateway(t, a, b).Digest
	if one := onGateway(t, a).Digest; one == both {
		t.Error("the digest is the same without the policy for one listener")
	}
	if more := onGateway(t, a, b, route).Digest; more != both {
		t.Error("an entry for a route changes the digest")
	}
}

// TestSettingsOfTCPListeners shows that a listener for TCP of a builtin gateway has no limits and only the retries of
// connections, which was measured on 2.14.3.
func TestSettingsOfTCPListeners(t *testing.T) {
	t.Parallel()
	const top, mesh = "targetRef: {kind: MeshGateway, name: tcp}", "targetRef: {kind: Mesh}"
	got := onGateway(t,
		"{type: MeshGateway, name: tcp, selectors: [{match: {kuma.io/service: edge, a: b}}], conf: {listeners: [{port: 80, protocol: TCP}]}}",
		"{type: MeshRetry, name: r, spec: {"+top+", to: [{"+mesh+", default: {tcp: {maxConnectAttempt: 7}, http: {numRetries: 4}}}]}}",
		"{type: MeshRateLimit, name: l, spec: {"+top+", to: [{"+mesh+", default: {local: {tcp: {connectionRate: {num: 7, interval: 1s}}}}}]}}",
	)
	testworld.Equal(t, "explanation", "MeshRetry\n  port 80 of MeshGateway \"tcp\", to any service\n    tcp.maxConnectAttempt = 7 ← r", got.Explanation)
	testworld.Equal(t, "ignored rules", []answer.IgnoredRule{{
		Type: kinds.MeshRateLimit.Name, Port: 80, Policy: answer.Entry{Name: "l", KRI: "kri_mrl_default___l_"},
		Reason: "The listener has the protocol TCP, on which the settings of the entry have no effect.",
	}}, got.IgnoredRules)
}
