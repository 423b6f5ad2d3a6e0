package rules_test

import (
	"fmt"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// proxyRule merges confs of one kind, in order of increasing precedence, as one
// proxy rule.
func proxyRule(t *testing.T, kind string, confs ...string) *rules.ProxyRule {
	t.Helper()
	documents := []string{aMesh, aDataplane}
	for i, conf := range confs {
		name := string(rune('a' + len(confs) - 1 - i)) // the smallest name takes precedence
		documents = append(documents, fmt.Sprintf(`{type: %s, name: %s, spec: {default: %s}}`, kind, name, conf))
	}
	return rulesOf(answerFor(t, "web", documents...), kind).ProxyRule
}

// TestMerge covers matching.md §9; the first row is the example of §8.
func TestMerge(t *testing.T) {
	for name, tt := range map[string]struct {
		kind  string
		confs []string // in order of increasing precedence
		want  string
	}{
		"lists are appended": {
			"MeshPassthrough",
			[]string{
				`{appendMatch: [{type: IP, value: 1.1.1.1, protocol: tcp}]}`,
				`{passthroughMode: All, appendMatch: [{type: IP, value: 1.1.1.1, protocol: tcp}]}`,
				`{passthroughMode: Matched, appendMatch: [{type: Domain, value: a.com, protocol: tls, port: 443}]}`,
			},
			`{"appendMatch":[{"protocol":"tcp","type":"IP","value":"1.1.1.1"},` +
				`{"protocol":"tcp","type":"IP","value":"1.1.1.1"},` +
				`{"port":443,"protocol":"tls","type":"Domain","value":"a.com"}],"passthroughMode":"Matched"}`,
		},
		"an empty appended list becomes null": {
			"MeshPassthrough",
			[]string{`{appendMatch: []}`, `{passthroughMode: Matched}`},
			`{"appendMatch":null,"passthroughMode":"Matched"}`,
		},
		"even in a single conf": {
			"MeshPassthrough", []string{`{appendMatch: []}`}, `{"appendMatch":null}`,
		},
		"an empty list appends nothing": {
			"MeshPassthrough", []string{`{appendMatch: [{value: a}]}`, `{appendMatch: []}`}, `{"appendMatch":[{"value":"a"}]}`,
		},
		"appended lists deep in a conf": {
			"MeshMetric",
			[]string{
				`{sidecar: {includeUnused: true, profiles: {appendProfiles: [{name: All}]}}}`,
				`{sidecar: {profiles: {appendProfiles: [{name: Basic}]}}}`,
			},
			`{"sidecar":{"includeUnused":true,"profiles":{"appendProfiles":[{"name":"All"},{"name":"Basic"}]}}}`,
		},
		"appended elements keep their nulls": {
			"MeshProxyPatch",
			[]string{`{appendModifications: [{a: null}]}`, `{appendModifications: [{b: null}]}`},
			`{"appendModifications":[{"a":null},{"b":null}]}`,
		},
		"objects merge, everything else is replaced": {
			"MeshTrace",
			[]string{
				`{tags: [{name: a}], sampling: {overall: 50, client: 1}, backends: [{type: Zipkin}]}`,
				`{tags: [], sampling: {overall: "61.9"}}`,
			},
			`{"backends":[{"type":"Zipkin"}],"sampling":{"client":1,"overall":"61.9"},"tags":[]}`,
		},
		"variants stay side by side": {
			"MeshTrace",
			[]string{`{type: RoundRobin, roundRobin: {}}`, `{type: RingHash, ringHash: {minRingSize: 3}}`},
			`{"ringHash":{"minRingSize":3},"roundRobin":{},"type":"RingHash"}`,
		},
		"zero values override": {
			"MeshTrace",
			[]string{`{a: 1, b: true, c: x, d: {e: 1}}`, `{a: 0, b: false, c: "", d: {}}`},
			`{"a":0,"b":false,"c":"","d":{"e":1}}`,
		},
		"a list that overrides loses nulls in objects": {
			"MeshTrace",
			[]string{`{backends: []}`, `{backends: [{b: null, a: [1, null, {q: null}]}]}`},
			`{"backends":[{"a":[1,null,{}]}]}`,
		},
		"a list of the first conf is untouched": {
			"MeshTrace", []string{`{backends: [{b: null}]}`, `{x: 1}`}, `{"backends":[{"b":null}],"x":1}`,
		},
		"numbers keep their digits": {
			"MeshTrace", []string{`{a: 12345678901234567890, b: 1.0}`}, `{"a":12345678901234567890,"b":1.0}`,
		},
		"no conf at all": {"MeshTrace", []string{`null`}, `{}`},
		"confs of wrong types": {
			"MeshPassthrough", []string{`[1]`, `{appendMatch: x}`, `7`}, `{"appendMatch":"x"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := proxyRule(t, tt.kind, tt.confs...)
			testworld.Equal(t, "merged conf", tt.want, compact(got.Conf))
		})
	}
}

// TestProxyRuleOrigin is the origin of the example of matching.md §8.
func TestProxyRuleOrigin(t *testing.T) {
	got := metas(proxyRule(t, "MeshPassthrough", `{}`, `{}`, `{}`).Origin)
	if want := "c b a"; got != want {
		t.Errorf("origin: got %q, want %q", got, want)
	}
}
