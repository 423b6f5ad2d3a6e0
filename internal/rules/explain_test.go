package rules_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// explained formats leaves, one per line: path, value and setter, and the same
// for what it overrode, in order of increasing precedence.
func explained(leaves []rules.Leaf) []string {
	write := func(s rules.Setting) string {
		return fmt.Sprintf("%s=%s by %s#%d", s.Path, compact(s.Value), s.SetBy.ResourceMeta.Name, s.SetBy.RuleIndex)
	}
	var out []string
	for _, l := range leaves {
		line := write(l.Setting)
		for i, s := range l.Overridden {
			line += map[bool]string{true: " over ", false: ", "}[i == 0] + write(s)
		}
		out = append(out, line)
	}
	return out
}

// TestExplain shows the history of each leaf of a merged conf. The confs are
// given in order of increasing precedence; the last is that of policy c, the
// one before of b.
func TestExplain(t *testing.T) {
	for name, tt := range map[string]struct {
		kind  string
		confs []string
		want  []string
	}{
		"one policy": {
			"MeshTrace",
			[]string{`{b: 1, a: {c: x}}`},
			[]string{`a.c="x" by c#0`, `b=1 by c#0`},
		},
		"a later one overrides in part": {
			"MeshTrace",
			[]string{`{a: 1, b: {c: 1, d: 1}}`, `{b: {c: 2}}`, `{b: {c: 3, e: 3}}`},
			[]string{`a=1 by a#0`, `b.c=3 by c#0 over b.c=1 by a#0, b.c=2 by b#0`, `b.d=1 by a#0`, `b.e=3 by c#0`},
		},
		"equal values count, too": {
			"MeshTrace",
			[]string{`{a: 1}`, `{a: 1}`},
			[]string{`a=1 by c#0 over a=1 by b#0`},
		},
		"lists are leaves": {
			"MeshTrace",
			[]string{`{tags: [a, b]}`, `{tags: []}`},
			[]string{`tags=[] by c#0 over tags=["a","b"] by b#0`},
		},
		"appended lists are not": {
			"MeshPassthrough",
			[]string{`{appendMatch: [x, y]}`, `{}`, `{appendMatch: [z], passthroughMode: All}`},
			[]string{`appendMatch[0]="x" by a#0`, `appendMatch[1]="y" by a#0`, `appendMatch[2]="z" by c#0`, `passthroughMode="All" by c#0`},
		},
		"appended lists deep in a conf": {
			"MeshMetric",
			[]string{`{sidecar: {profiles: {appendProfiles: [x]}}}`, `{sidecar: {profiles: {appendProfiles: [y]}, includeUnused: true}}`},
			[]string{
				`sidecar.includeUnused=true by c#0`,
				`sidecar.profiles.appendProfiles[0]="x" by b#0`, `sidecar.profiles.appendProfiles[1]="y" by c#0`,
			},
		},
		"appended lists that are empty": {
			"MeshPassthrough",
			[]string{`{appendMatch: []}`, `{passthroughMode: All}`},
			[]string{`appendMatch=null by b#0`, `passthroughMode="All" by c#0`},
		},
		"empty conf":           {"MeshTrace", []string{`{}`, `{}`}, []string{`={} by c#0 over ={} by b#0`}},
		"empty object":         {"MeshTrace", []string{`{a: {}}`, `{}`}, []string{`a={} by b#0`}},
		"empty object, filled": {"MeshTrace", []string{`{a: {}}`, `{a: {b: 1}}`}, []string{`a.b=1 by c#0`}},
		"object in place of a value": {
			"MeshTrace",
			[]string{`{a: 1}`, `{a: {b: 2, c: 3}}`},
			[]string{`a.b=2 by c#0 over a=1 by b#0`, `a.c=3 by c#0 over a=1 by b#0`},
		},
		"value in place of an object": {
			"MeshTrace",
			[]string{`{a: {b: 1, c: {d: 2}}}`, `{a: 3}`},
			[]string{`a=3 by c#0 over a.b=1 by b#0, a.c.d=2 by b#0`},
		},
		"null takes away": {
			"MeshTrace",
			[]string{`{a: 1, b: {c: 1}, d: 1}`, `{a: null, b: {c: null}}`},
			[]string{`b={} by c#0`, `d=1 by b#0`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := []string{aMesh, aDataplane}
			for i, conf := range tt.confs {
				name := string(rune('c' + 1 + i - len(tt.confs)))
				display := string(rune('z' - i)) // the smallest takes precedence
				documents = append(documents, fmt.Sprintf(`{type: %s, name: %s, labels: {kuma.io/display-name: %s}, spec: {default: %s}}`, tt.kind, name, display, conf))
			}
			rule := rulesOf(answerFor(t, "web", documents...), tt.kind).ProxyRule
			testworld.Equal(t, "leaves", tt.want, explained(rule.Explain()))
		})
	}
}

// TestExplainRoute checks the contributors to each rule of a route: requests on
// a rule belong to the policy that listed its matches last (matching.md §10.5).
func TestExplainRoute(t *testing.T) {
	policy := func(name, entries string) string {
		return `{type: MeshHTTPRoute, name: ` + name + `, ` + inZone + `, spec: {to: [` + entries + `]}}`
	}
	const entry = `targetRef: {kind: MeshService, name: cart}, `
	answer := answerFor(t, "web", aMesh, aDataplane, aCart,
		policy("weak", `{`+entry+`rules: [{matches: [{method: GET}], default: {filters: [x], backendRefs: [y]}}, {matches: [{method: PUT}]}, {}]}`),
		policy("strong", `{`+entry+`hostnames: [shop]}, {`+entry+`rules: [{matches: [{method: GET}], default: {filters: []}}]}, {`+entry+`hostnames: [shop], rules: []}`))
	got := rulesOf(answer, "MeshHTTPRoute").ToResourceRules[0].Explain()
	want := [][]string{
		{
			`rules[0].default.backendRefs=["y"] by weak#0`,
			`rules[0].default.filters=[] by strong#1 over rules[0].default.filters=["x"] by weak#0`,
			`rules[0].matches=[{"method":"GET"}] by strong#1 over rules[0].matches=[{"method":"GET"}] by weak#0`,
			`rules[1].matches=[{"method":"PUT"}] by weak#0`,
			`rules[2]={} by weak#0`,
		},
		{`hostnames=["shop"] by strong#2 over hostnames=["shop"] by strong#0`},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d confs, want %d", len(got), len(want))
	}
	for i := range want {
		if diff := cmp.Diff(want[i], explained(got[i])); diff != "" {
			t.Errorf("leaves of conf %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestExplainEverywhere checks that all kinds of rules can be explained.
func TestExplainEverywhere(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane, aCart,
		`
type: MeshTimeout
name: b
spec:
  to:
    - targetRef: {kind: Mesh}
      default: {a: 1}
  from:
    - targetRef: {kind: Mesh}
      default: {a: 2}
`,
		`
type: MeshTimeout
name: a
spec:
  to:
    - targetRef: {kind: MeshService, name: cart}
      default: {a: 3}
  from:
    - targetRef: {kind: Mesh}
      default: {a: null}
`)
	r := rulesOf(answer, "MeshTimeout")
	got := map[string][]string{
		"toRules":         explained(r.ToRules[0].Explain()),
		"toResourceRules": explained(r.ToResourceRules[0].Explain()[0]),
		"fromRules":       explained(r.FromRules[0].Rules[0].Explain()),
		"incoming":        explained(r.Incoming()[0].Rules[0].Explain()),
	}
	want := map[string][]string{
		"toRules":         {`a=3 by a#0 over a=1 by b#0`},
		"toResourceRules": {`a=1 by b#0`},
		"fromRules":       {`={} by a#0`},
		"incoming":        {`={} by a#0`},
	}
	testworld.Equal(t, "leaves", want, got)
}

// TestExplainNothing checks that rules that were not returned by a snapshot
// have no history.
func TestExplainNothing(t *testing.T) {
	if got := (rules.Rule{}).Explain(); got != nil {
		t.Errorf("Rule: got %v", got)
	}
	if got := (rules.ResourceRule{}).Explain(); got != nil {
		t.Errorf("ResourceRule: got %v", got)
	}
	if got := (rules.PolicyRules{}).Incoming(); got != nil {
		t.Errorf("Incoming: got %v", got)
	}
	if got := (rules.ProxyRule{}).Explain(); got != nil {
		t.Errorf("ProxyRule: got %v", got)
	}
}

// TestLeafJSON checks that a leaf marshals to what a data source shows.
func TestLeafJSON(t *testing.T) {
	rule := proxyRule(t, "MeshTrace", `{a: 1}`, `{a: 2}`)
	data, err := json.Marshal(rule.Explain()[0])
	testworld.NoError(t, err)
	setBy := func(name string) string {
		return `"setBy":{"resourceMeta":{"type":"MeshTrace","mesh":"default","name":"` + name + `","labels":{}},"ruleIndex":0}`
	}
	want := `{"path":["a"],"value":2,` + setBy("a") + `,"overridden":[{"path":["a"],"value":1,` + setBy("b") + `}]}`
	testworld.Equal(t, "JSON", strings.Fields(want), strings.Fields(string(data)))
}
