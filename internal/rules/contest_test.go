package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// contested formats contests, one per line: path, and the values in order of increasing
// precedence.
func contested(s *rules.Snapshot, kind string, contests []rules.Contest) []string {
	entries := s.Entries("default", kind)
	var out []string
	for _, c := range contests {
		var claims []string
		for _, claim := range c.Claims {
			e := entries[claim.Entry]
			claims = append(claims, fmt.Sprintf("%s by %s#%d", compact(claim.Value), e.Policy.Name, e.Index))
		}
		out = append(out, fmt.Sprintf("%s: %s", c.Path, strings.Join(claims, ", ")))
	}
	return out
}

func TestContests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		weak, strong string // confs
		want         []string
	}{
		"each sets its own":              {`{idleTimeout: 1s}`, `{connectionTimeout: 2s}`, []string{`connectionTimeout: "2s" by a#1`, `idleTimeout: "1s" by b#0`}},
		"both set one":                   {`{idleTimeout: 1s}`, `{idleTimeout: 2s}`, []string{`idleTimeout: "1s" by b#0, "2s" by a#1`}},
		"below a field":                  {`{http: {a: 1, b: 2}}`, `{http: {a: 3}}`, []string{`http.a: 1 by b#0, 3 by a#1`, `http.b: 2 by b#0`}},
		"null takes away":                {`{idleTimeout: 1s, http: {a: 1}}`, `{idleTimeout: null}`, []string{`http.a: 1 by b#0`}},
		"an object in place of a value":  {`{http: 1}`, `{http: {a: 2}}`, []string{`http.a: 1 by b#0, 2 by a#1`}},
		"a value in place of an object":  {`{http: {a: 2}}`, `{http: 1}`, []string{`http: 2 by b#0, 1 by a#1`}},
		"nothing":                        {`{}`, `{}`, []string{`: {} by b#0, {} by a#1`}},
		"more places than are searched":  {manyFields(20, 0), manyFields(20, 20), manyContests(40)},
		"as many places as are searched": {manyFields(16, 0), manyFields(16, 16), manyContests(32)},
		"a list replaces, without nulls": {`{list: [1]}`, `{list: [{a: null}]}`, []string{`list: [1] by b#0, [{}] by a#1`}}, // matching.md §9.6
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := snapshotOf(t, aMesh, aDataplane,
				`{type: MeshTimeout, name: a, spec: {to: [{targetRef: {kind: MeshService, name: other}, default: {}}, {targetRef: {kind: Mesh}, default: `+tt.strong+`}]}}`,
				`{type: MeshTimeout, name: b, spec: {to: [{targetRef: {kind: Mesh}, default: `+tt.weak+`}]}}`)
			r, err := s.Outline("default", "web", "MeshTimeout")
			testworld.NoError(t, err)
			testworld.Equal(t, "contests", [][]string{tt.want}, contestsOf(s, "MeshTimeout", r.ToResourceRules[0].Contests()))
		})
	}
}

func contestsOf(s *rules.Snapshot, kind string, confs [][]rules.Contest) [][]string {
	var out [][]string
	for _, c := range confs {
		out = append(out, contested(s, kind, c))
	}
	return out
}

// manyFields returns a conf with n fields, whose names begin at a number.
func manyFields(n, first int) string {
	var fields []string
	for i := range n {
		fields = append(fields, fmt.Sprintf("f%02d: %d", first+i, first+i))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// manyContests are those of n fields, of which the second policy sets the first half.
func manyContests(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("f%02d: %d by %s", i, i, map[bool]string{true: "b#0", false: "a#1"}[i < n/2]))
	}
	return out
}

// TestContestsOfEveryList checks that claims identify the entries of all lists, and of
// several confs of a route.
func TestContestsOfEveryList(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, aMesh, aDataplane, aCart, `
type: MeshTimeout
name: t
spec:
  to:
    - {targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}
    - {targetRef: {kind: MeshService, name: cart}, default: {idleTimeout: 2s}}
  from:
    - {targetRef: {kind: Mesh}, default: {idleTimeout: 3s}}
`, `
type: MeshTrace
name: trace
spec: {default: {tags: []}}
`, `
type: MeshHTTPRoute
name: r
`+inZone+`
spec:
  to:
    - targetRef: {kind: MeshService, name: cart}
      rules: [{matches: [{method: GET}], default: {filters: []}}]
    - targetRef: {kind: MeshService, name: cart}
      hostnames: [shop]
`)
	rulesFor := func(kind string) rules.PolicyRules {
		r, err := s.Rules("default", "web", kind)
		testworld.NoError(t, err)
		return r
	}
	timeouts, routes := rulesFor("MeshTimeout"), rulesFor("MeshHTTPRoute")
	got := map[string][]string{
		"to":      contested(s, "MeshTimeout", timeouts.ToRules[0].Contests()),
		"from":    contested(s, "MeshTimeout", timeouts.FromRules[0].Rules[0].Contests()),
		"default": contested(s, "MeshTrace", rulesFor("MeshTrace").ProxyRule.Contests()),
	}
	for i, conf := range contestsOf(s, "MeshHTTPRoute", routes.ToResourceRules[0].Contests()) {
		got[fmt.Sprintf("conf %d of a route", i)] = conf
	}
	want := map[string][]string{
		"to":                {`idleTimeout: "1s" by t#0, "2s" by t#1`},
		"from":              {`idleTimeout: "3s" by t#0`},
		"default":           {`tags: [] by trace#0`},
		"conf 0 of a route": {`rules[0].default.filters: [] by r#0`, `rules[0].matches: [{"method":"GET"}] by r#0`},
		"conf 1 of a route": {`hostnames: ["shop"] by r#1`},
	}
	testworld.Equal(t, "contests", want, got)
}

// TestNoContests checks rules that were not returned by a snapshot, and the entries of
// an unknown mesh.
func TestNoContests(t *testing.T) {
	t.Parallel()
	if got := (rules.Rule{}).Contests(); got != nil {
		t.Errorf("Rule: got %v", got)
	}
	if got := (rules.ResourceRule{}).Contests(); got != nil {
		t.Errorf("ResourceRule: got %v", got)
	}
	if got := (rules.ProxyRule{}).Contests(); got != nil {
		t.Errorf("ProxyRule: got %v", got)
	}
	if got := (rules.ProxyRule{}).Input(); got != (rules.Input{}) {
		t.Errorf("Input: got %x", got)
	}
	if got := snapshotOf(t, aMesh).Entries("other", "MeshTimeout"); got != nil {
		t.Errorf("Entries: got %v", got)
	}
}

// TestEntriesShareAPosition checks that the elements of all lists of a policy at an index
// have one position, and that a policy without lists has one.
func TestEntriesShareAPosition(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, aMesh,
		`{type: MeshTimeout, name: b, spec: {to: [{targetRef: {kind: Mesh}}], from: [{targetRef: {kind: Mesh}}, {targetRef: {kind: Mesh}}]}}`,
		`{type: MeshTimeout, name: a, spec: {rules: [{default: {}}, {default: {}}, {default: {}}]}}`,
		`{type: MeshTimeout, name: c, spec: {}}`)
	var got []string
	for _, e := range s.Entries("default", "MeshTimeout") {
		got = append(got, fmt.Sprintf("%s#%d", e.Policy.Name, e.Index))
	}
	testworld.Equal(t, "entries", []string{"a#0", "a#1", "a#2", "b#0", "b#1", "c#0"}, got)
}

func TestEntriesOfAProxyRule(t *testing.T) {
	t.Parallel()
	got := slices.Collect(proxyRule(t, "MeshTrace", `{}`, `{}`).Entries())
	key := func(name string) kuma.Key { return kuma.Key{Type: "MeshTrace", Mesh: "default", Name: name} }
	testworld.Equal(t, "entries, in order of increasing precedence", []rules.Entry{{Policy: key("b")}, {Policy: key("a")}}, got)
}
