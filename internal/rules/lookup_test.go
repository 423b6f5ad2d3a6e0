package rules_test

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var (
	toCart  = kuma.ID{Type: "MeshService", Mesh: "default", Zone: "zone-1", Name: "cart"}
	toOther = kuma.ID{Type: "MeshService", Mesh: "default", Zone: "zone-1", Name: "other"}
	onRoute = kuma.ID{Type: "MeshHTTPRoute", Mesh: "default", Zone: "zone-1", Name: "r"}
	onTCP   = kuma.ID{Type: "MeshTCPRoute", Mesh: "default", Zone: "zone-1", Name: "r"}
)

// TestLookup tests the steps of matching.md §12: each additional policy has a
// rule in an earlier step.
func TestLookup(t *testing.T) {
	const (
		onMesh     = `{targetRef: {kind: Mesh}, default: {by: mesh}}`
		onService  = `{targetRef: {kind: MeshService, name: cart}, default: {by: service}}`
		onSection  = `{targetRef: {kind: MeshService, name: cart, sectionName: http}, default: {by: section}}`
		forRoute   = `{targetRef: {kind: MeshHTTPRoute, name: r}, default: {by: route}}`
		forOther   = `{targetRef: {kind: MeshService, name: other}, default: {by: other}}`
		everything = onMesh + `, ` + onService + `, ` + onSection + `, ` + forRoute
	)
	var (
		http     = rules.Destination{Resource: toCart, Section: "http"}
		onlyTags = rules.Destination{Tags: map[string]string{kuma.TagService: "cart"}}
	)
	for name, tt := range map[string]struct {
		to     string
		d      rules.Destination
		want   string // by which policy; empty for none
		step   rules.Step
		passed []rules.Step
	}{
		"route": {
			everything,
			rules.Destination{Resource: toCart, Section: "http", Route: onRoute},
			"route", rules.StepRoute, nil,
		},
		"section of a route": {
			everything,
			rules.Destination{Resource: toCart, Section: "http", Route: onRoute, RouteSection: "rule-0"},
			"route", rules.StepRoute,
			[]rules.Step{rules.StepRouteSection},
		},
		"route without a rule": {
			onMesh + `, ` + onSection,
			rules.Destination{Resource: toCart, Section: "http", Route: onRoute},
			"section", rules.StepSection,
			[]rules.Step{rules.StepRoute},
		},
		"section":                {everything, http, "section", rules.StepSection, nil},
		"section without a rule": {onMesh + `, ` + onService, http, "service", rules.StepResource, []rules.Step{rules.StepSection}},
		"service":                {everything, rules.Destination{Resource: toCart}, "service", rules.StepResource, nil},
		"service without a rule": {onMesh, http, "mesh", rules.StepMesh, []rules.Step{rules.StepSection, rules.StepResource}},
		"unknown service":        {everything, rules.Destination{Resource: toOther}, "mesh", rules.StepMesh, []rules.Step{rules.StepResource}},
		"service, not its tag": {
			forOther,
			rules.Destination{Resource: toCart, Tags: map[string]string{kuma.TagService: "other"}},
			"", "",
			[]rules.Step{rules.StepResource, rules.StepMesh},
		},
		"tag":                 {onMesh + `, ` + onService, onlyTags, "service", rules.StepTags, nil},
		"tag without a rule":  {forOther, onlyTags, "", "", []rules.Step{rules.StepTags}},
		"tag, by mesh":        {onMesh + `, ` + forOther, onlyTags, "mesh", rules.StepTags, nil},
		"nothing is asked":    {everything, rules.Destination{}, "", "", nil},
		"route, without more": {everything, rules.Destination{Route: onRoute}, "route", rules.StepRoute, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := answerFor(t, "web", aMesh, aDataplane, aCart, `{type: MeshHTTPRoute, name: r, `+inZone+`, spec: {}}`,
				`{type: MeshTimeout, name: t, `+inZone+`, spec: {to: [`+tt.to+`]}}`)
			found, ok := rulesOf(answer, "MeshTimeout").Lookup(tt.d)
			var got string
			if ok {
				got, _ = tree.At(found.Conf[0], tree.Path{"by"}).(string)
			}
			if ok != (tt.want != "") || got != tt.want || found.Step != tt.step {
				t.Errorf("Lookup: got %q by step %q, %t, want %q by step %q", got, found.Step, ok, tt.want, tt.step)
			}
			if (found.Tags != nil) != (tt.step == rules.StepTags) || (found.Resource != nil) != (ok && found.Tags == nil) {
				t.Errorf("Lookup: got resource rule %v and tag rule %v by step %q", found.Resource, found.Tags, found.Step)
			}
			testworld.Equal(t, "steps passed", tt.passed, found.Passed)
		})
	}
}

// TestLookupRoutesByTag checks that routes themselves are also found by the tag
// of their service.
func TestLookupRoutesByTag(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane,
		`
type: MeshTCPRoute
name: r
spec:
  to:
    - targetRef: {kind: MeshService, name: cart}
      rules: []
`)
	d := rules.Destination{Resource: toCart, Tags: map[string]string{kuma.TagService: "cart"}}
	found, ok := rulesOf(answer, "MeshTCPRoute").Lookup(d)
	if !ok || found.Step != rules.StepTags {
		t.Errorf("Lookup: got step %q, %t, want %q", found.Step, ok, rules.StepTags)
	}
}

// TestContains covers the last part of matching.md §12.
func TestContains(t *testing.T) {
	is := func(k, v string) rules.Matcher { return rules.Matcher{Key: k, Value: v} }
	not := func(k, v string) rules.Matcher { return rules.Matcher{Key: k, Value: v, Not: true} }
	for name, tt := range map[string]struct {
		rule []rules.Matcher
		tags map[string]string
		want bool
	}{
		"equal":                          {[]rules.Matcher{is("a", "1")}, map[string]string{"a": "1"}, true},
		"more tags":                      {[]rules.Matcher{is("a", "1")}, map[string]string{"a": "1", "b": "2"}, true},
		"other value":                    {[]rules.Matcher{is("a", "1")}, map[string]string{"a": "2"}, false},
		"absent":                         {[]rules.Matcher{is("a", "1")}, map[string]string{"b": "1"}, false},
		"forbidden":                      {[]rules.Matcher{not("a", "1")}, map[string]string{"a": "1"}, false},
		"forbidden, other value":         {[]rules.Matcher{not("a", "1")}, map[string]string{"a": "2"}, true},
		"forbidden, absent":              {[]rules.Matcher{not("a", "1")}, map[string]string{"b": "1"}, true},
		"one of two":                     {[]rules.Matcher{is("a", "1"), not("b", "2")}, map[string]string{"a": "1", "b": "2"}, false},
		"rule for all":                   {nil, map[string]string{"a": "1"}, true},
		"rule for all, no tags":          {nil, nil, true},
		"no tags, rule that forbids one": {[]rules.Matcher{not("a", "1")}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (rules.Rule{Matchers: tt.rule}).Contains(tt.tags); got != tt.want {
				t.Errorf("Contains(%v): got %t, want %t", tt.tags, got, tt.want)
			}
		})
	}
}

// TestTCPRouteAsDestination checks an entry for a MeshTCPRoute, which the
// design allows as for a MeshHTTPRoute (design record 000). It inherits from
// the mesh, not from the service, excludes its policy from the rules by tag,
// and is found first.
func TestTCPRouteAsDestination(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane, aCart,
		`{type: MeshTCPRoute, name: r, `+inZone+`, spec: {to: [{targetRef: {kind: MeshService, name: cart}, rules: []}]}}`,
		`{type: MeshTimeout, name: on-route, `+inZone+`, spec: {to: [`+
			`{targetRef: {kind: MeshTCPRoute, name: r}, default: {idleTimeout: 3s}}, `+
			`{targetRef: {kind: MeshService, name: cart}, default: {connectionTimeout: 2s}}]}}`,
		`{type: MeshTimeout, name: on-mesh, `+inZone+`, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 1s}}}]}}`)
	got := rulesOf(answer, "MeshTimeout")
	want := []string{
		`MeshService cart | {"connectionTimeout":"2s","http":{"requestTimeout":"1s"}} | on-mesh#0 on-route#1`,
		`Mesh default | {"http":{"requestTimeout":"1s"}} | on-mesh#0`,
		`MeshTCPRoute r | {"http":{"requestTimeout":"1s"},"idleTimeout":"3s"} | on-mesh#0 on-route#0`,
	}
	testworld.Equal(t, "toResourceRules", want, resourceRules(got.ToResourceRules))
	testworld.Equal(t, "toRules", []string{` | {"http":{"requestTimeout":"1s"}} | on-mesh`}, tagRules(got.ToRules))
	if found, _ := got.Lookup(rules.Destination{Resource: toCart, Section: "http", Route: onTCP}); found.Step != rules.StepRoute {
		t.Errorf("Lookup: got step %q, want %q", found.Step, rules.StepRoute)
	}
}

// TestAnswerFor checks that the rest of an answer is about one destination.
func TestAnswerFor(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane, aCart, `
type: MeshTrace
name: t
spec: {default: {}}
`,
		`{type: MeshRetry, name: r, `+inZone+`, spec: {to: [{targetRef: {kind: MeshService, name: cart}, default: {}}]}}`,
		`{type: MeshTimeout, name: t, `+inZone+`, spec: {to: [{targetRef: {kind: Mesh}, default: {}}, {targetRef: {kind: MeshService, name: other}, default: {}}]}}`)
	for name, tt := range map[string]struct {
		d    rules.Destination
		want []string
	}{
		"service": {rules.Destination{Resource: toCart}, []string{"MeshRetry: MeshService cart | {} | r#0", "MeshTimeout: Mesh default | {} | t#0"}},
		"tag":     {rules.Destination{Tags: map[string]string{kuma.TagService: "other"}}, []string{"MeshTimeout: kuma.io/service=other | {} | t"}},
		"nothing": {rules.Destination{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range answer.For(tt.d).Rules {
				for _, r := range append(resourceRules(p.ToResourceRules), tagRules(p.ToRules)...) {
					got = append(got, p.Type+": "+r)
				}
			}
			slices.Sort(got)
			testworld.Equal(t, "For", tt.want, got)
		})
	}
}
