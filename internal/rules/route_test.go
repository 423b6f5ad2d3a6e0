package rules_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestMergeHTTPRoutes contains the examples of matching.md §10.3. Policy a
// takes precedence over policy b.
func TestMergeHTTPRoutes(t *testing.T) {
	rule := func(path, conf string) string {
		return fmt.Sprintf(`{matches: [{path: {type: Exact, value: %s}}], default: %s}`, path, conf)
	}
	printed := func(path, conf string) string {
		return fmt.Sprintf(`{"default":%s,"matches":[{"path":{"type":"Exact","value":"%s"}}]}`, conf, path)
	}
	for name, tt := range map[string]struct {
		weak, strong string // the entries without their reference
		want         []string
	}{
		"stronger rules come first": {
			weak:   `rules: [` + rule("/z", `{}`) + `, ` + rule("/a", `{filters: [], backendRefs: []}`) + `, ` + rule("/q", `{}`) + `, ` + rule("/q", `{filters: []}`) + `]`,
			strong: `rules: [` + rule("/a", `{filters: [{type: RequestMirror}]}`) + `, ` + rule("/b", `{}`) + `]`,
			want: []string{
				`{"rules":[` + printed("/a", `{"backendRefs":[],"filters":[{"type":"RequestMirror"}]}`) + `,` + printed("/b", `{}`) +
					`,` + printed("/z", `{}`) + `,` + printed("/q", `{"filters":[]}`) + `]}`,
			},
		},
		"order of matches distinguishes rules": {
			weak:   `rules: [{matches: [{method: GET}, {method: PUT}], default: {}}]`,
			strong: `rules: [{matches: [{method: PUT}, {method: GET}], default: {}}]`,
			want: []string{
				`{"rules":[{"default":{},"matches":[{"method":"PUT"},{"method":"GET"}]},{"default":{},"matches":[{"method":"GET"},{"method":"PUT"}]}]}`,
			},
		},
		"hostnames do not mix with no hostnames": {
			weak:   `hostnames: [x], rules: [` + rule("/a", `{}`) + `]`,
			strong: `rules: [` + rule("/b", `{}`) + `]`,
			want: []string{
				`{"hostnames":["x"],"rules":[` + printed("/a", `{}`) + `]}`,
				`{"rules":[` + printed("/b", `{}`) + `]}`,
			},
		},
		"no rules": {weak: `rules: []`, strong: `hostnames: []`, want: []string{`{}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := func(name, entry string) string {
				return `{type: MeshHTTPRoute, name: ` + name + `, ` + inZone + `, spec: {to: [{targetRef: {kind: MeshService, name: cart}, ` + entry + `}]}}`
			}
			answer := answerFor(t, "web", aMesh, aDataplane, aCart, policy("b", tt.weak), policy("a", tt.strong))
			var got []string
			for _, conf := range rulesOf(answer, "MeshHTTPRoute").ToResourceRules[0].Conf {
				got = append(got, compact(conf))
			}
			testworld.Equal(t, "confs", tt.want, got)
		})
	}
}

// TestMergeByHostname is the second example of matching.md §10.3. In the
// legacy rules each hostname has a rule of its own.
func TestMergeByHostname(t *testing.T) {
	entry := func(rest string) string { return `{targetRef: {kind: MeshService, name: cart}, ` + rest + `}` }
	rule := func(method, by string) string {
		return `{matches: [{method: ` + method + `}], default: {filters: [` + by + `]}}`
	}
	answer := answerFor(t, "web", aMesh, aDataplane, aCart,
		`{type: MeshHTTPRoute, name: p2, `+inZone+`, spec: {to: [`+
			entry(`hostnames: [x, y], rules: [`+rule("GET", "weak")+`]`)+`, `+
			entry(`rules: [`+rule("PUT", "weak")+`]`)+`]}}`,
		`{type: MeshHTTPRoute, name: p1, `+inZone+`, spec: {to: [`+
			entry(`hostnames: [y, z], rules: [`+rule("GET", "strong")+`, `+rule("HEAD", "strong")+`]`)+`]}}`)
	got := rulesOf(answer, "MeshHTTPRoute")

	printed := func(method, by string) string {
		return `{"default":{"filters":["` + by + `"]},"matches":[{"method":"` + method + `"}]}`
	}
	want := []string{
		`{"hostnames":["x"],"rules":[` + printed("GET", "weak") + `]}`,
		`{"hostnames":["y"],"rules":[` + printed("GET", "strong") + `,` + printed("HEAD", "strong") + `]}`,
		`{"rules":[` + printed("PUT", "weak") + `]}`,
		`{"hostnames":["z"],"rules":[` + printed("GET", "strong") + `,` + printed("HEAD", "strong") + `]}`,
	}
	var resource, legacy []string
	for _, conf := range got.ToResourceRules[0].Conf {
		resource = append(resource, compact(conf))
	}
	for _, r := range got.ToRules {
		legacy = append(legacy, compact(r.Conf))
	}
	testworld.Equal(t, "confs of the resource rule", want, resource)
	testworld.Equal(t, "confs of the legacy rules", want, legacy)
}

// TestTCPRoute covers matching.md §10.1.
func TestTCPRoute(t *testing.T) {
	for name, tt := range map[string]struct{ rules, want string }{
		"rule": {
			`[{default: {backendRefs: [{kind: MeshService, name: b, weight: 1}]}}]`,
			`{"default":{"backendRefs":[{"kind":"MeshService","name":"b","weight":1}]}}`,
		},
		"no rules": {
			`[]`,
			`{"default":{"backendRefs":[{"kind":"MeshService","name":"cart","sectionName":"http","weight":1}]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := answerFor(t, "web", aMesh, aDataplane, aCart, `{type: MeshTCPRoute, name: r, `+inZone+
				`, spec: {to: [{targetRef: {kind: MeshService, name: cart, sectionName: http}, rules: `+tt.rules+`}]}}`)
			got := compact(rulesOf(answer, "MeshTCPRoute").ToResourceRules[0].Conf[0])
			testworld.Equal(t, "conf", tt.want, got)
		})
	}
}

// TestMatchesHash contains the test vectors of matching.md §10.4.
func TestMatchesHash(t *testing.T) {
	for matches, want := range map[string]string{
		`[{"path":{"value":"/","type":"PathPrefix"}}]`:  "9Zuf5Tg79OuZcQITwBbQykxAk2u4fRKrwYn3//AL4Yo=",
		`[{"path":{"value":"/a","type":"PathPrefix"}}]`: "FVl5kxrbTN6O2cgtyofxrlLJWaSHL0+EIAVq2LRD4kA=",
		`[{"path":{"value":"/b","type":"PathPrefix"}}]`: "xJNN5iyDhQlguuV/FF4z38DUibfU0YT+fVBUzLppZz4=",
		`[{"headers":[{"value":"y","name":"x"}],"method":"GET","path":{"type":"PathPrefix","value":"/b"},` +
			`"queryParams":[{"name":"q","type":"Exact","value":"<&>"}]},{"path":{"value":"/c","type":"Exact"}}]`: "Sgb3flUqRr7TWs8RbwWrXsfGP3W8Cr9kr9bbWGBk2j0=",
		`[{"path":{"value":"/a","type":"PathPrefix"},"queryParams":[],"headers":[{"type":"Present","name":"a","value":""}]}]`: "17u9KsH1UBjaNdy+SBTTP410xzSYHTynlElGI57td+I=",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			answer := answerFor(t, "web", aMesh, aDataplane, aCart, `{type: MeshHTTPRoute, name: r, `+inZone+
				`, spec: {to: [{targetRef: {kind: MeshService, name: cart}, rules: [{matches: `+matches+`, default: {}}]}]}}`)
			if len(answer.HTTPMatches) != 1 {
				t.Fatalf("httpMatches: got %d, want 1", len(answer.HTTPMatches))
			}
			got := answer.HTTPMatches[0]
			if got.Hash != want {
				t.Errorf("hash of %s: got %s, want %s", matches, got.Hash, want)
			}
			testworld.Equal(t, "match", testworld.JSON(t, matches), any(got.Match))
		})
	}
}

// TestTopLevelRoute checks that a policy that selects a route (deprecated)
// selects what the route selects, if the route can apply to the proxy
// (matching.md §2.4).
func TestTopLevelRoute(t *testing.T) {
	for name, tt := range map[string]struct {
		route string // labels and spec
		want  bool
	}{
		"route for all":              {`spec: {}`, true},
		"route for these":            {`spec: {targetRef: {kind: MeshService, name: web}}`, true},
		"route for others":           {`spec: {targetRef: {kind: MeshService, name: api}}`, false},
		"route of this zone":         {`labels: {kuma.io/origin: zone, kuma.io/zone: zone-1}, spec: {}`, true},
		"route of another zone":      {`labels: {kuma.io/origin: zone, kuma.io/zone: zone-2}, spec: {}`, false},
		"route that names a route":   {`spec: {targetRef: {kind: MeshHTTPRoute, name: r}}`, false},
		"route of that display name": {`labels: {kuma.io/display-name: q}, spec: {}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := answerFor(t, "web", aMesh, aDataplane, `{type: MeshHTTPRoute, name: r, `+tt.route+`}`,
				`
type: MeshTrace
name: t
spec:
  targetRef: {kind: MeshHTTPRoute, name: r}
  default: {}
`)
			if got := rulesOf(answer, "MeshTrace").ProxyRule != nil; got != tt.want {
				t.Errorf("policy on a route with %s: matched %t, want %t", tt.route, got, tt.want)
			}
		})
	}
}

// TestUnresolvedRoute covers the warnings of matching.md §13.5.
func TestUnresolvedRoute(t *testing.T) {
	const to = `to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]`
	answer := answerFor(t, "web", aMesh, aDataplane,
		`{type: MeshTimeout, name: b, spec: {targetRef: {kind: MeshHTTPRoute, name: 'it''s "r"'}, `+to+`}}`,
		`{type: MeshTimeout, name: a, spec: {targetRef: {kind: MeshHTTPRoute, labels: {x: y}}, `+to+`}}`,
		`{type: MeshTimeout, name: shadow, labels: {kuma.io/effect: shadow}, spec: {targetRef: {kind: MeshHTTPRoute, name: r}, `+to+`}}`,
		`{type: MeshTimeout, name: c, spec: {`+to+`}}`)
	want := []string{
		`unable to resolve TargetRef on policy: mesh:default name:a error:"couldn't resolve MeshHTTPRoute targetRef with name ''"`,
		`unable to resolve TargetRef on policy: mesh:default name:b error:"couldn't resolve MeshHTTPRoute targetRef with name 'it's \"r\"'"`,
	}
	testworld.Equal(t, "warnings", want, rulesOf(answer, "MeshTimeout").Warnings)
}

// TestRequestsOfRoutes checks that rules by tags of policies that select a route (matching.md §5.6) are
// described by the rules of the route, and not by hashes.
func TestRequestsOfRoutes(t *testing.T) {
	timeout := func(name, spec string) string {
		return `{type: MeshTimeout, name: ` + name + `, spec: {` + spec + `, default: {idleTimeout: 1s}}]}}`
	}
	answer := answerFor(t, "web", aMesh, aDataplane, `{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, name: cart}, rules: [{matches: [{method: GET}]}, {matches: [{method: PUT}]}]}]}}`,
		timeout("t1", `targetRef: {kind: MeshHTTPRoute, name: r}, to: [{targetRef: {kind: Mesh}`), timeout("t2", `to: [{targetRef: {kind: Mesh}`), timeout("t3", `to: [{targetRef: {kind: MeshService, name: other}`))
	found := rulesOf(answer, "MeshTimeout")
	var got []string
	for _, r := range found.ToRules {
		got = append(got, found.Requests(r.Matchers))
	}
	slices.Sort(got)
	rest := `not rule 1 of MeshHTTPRoute "r"`
	want := []string{
		"kuma.io/service=cart, " + rest, `kuma.io/service=cart, not rule 2 of MeshHTTPRoute "r"`, `kuma.io/service=cart, rule 1 of MeshHTTPRoute "r"`, `kuma.io/service=cart, rule 2 of MeshHTTPRoute "r"`,
		"kuma.io/service=other", "kuma.io/service≠cart, " + rest, `kuma.io/service≠cart, not rule 2 of MeshHTTPRoute "r"`, `kuma.io/service≠cart, rule 1 of MeshHTTPRoute "r"`, `kuma.io/service≠cart, rule 2 of MeshHTTPRoute "r"`, "kuma.io/service≠other",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
