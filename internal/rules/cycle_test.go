package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// ordered is a rule of any list.
type ordered interface {
	Order() *rules.Order
	HasCycle() bool
}

// cycles returns for each rule that has cycles, by its list, the policies of each.
func cycles(t *testing.T, s *rules.Snapshot, kind string) []string {
	t.Helper()
	r, err := s.Rules("default", "web", kind)
	if err != nil {
		t.Fatal(err)
	}
	entries := s.Entries("default", kind)
	var out []string
	add := func(list string, rule ordered) {
		var found []string
		for a := range entries {
			for b := range entries {
				var names []string
				for _, key := range rule.Order().Cycle(a, b) {
					names = append(names, key.Name)
				}
				if cycle := strings.Join(names, " "); cycle != "" && !slices.Contains(found, cycle) {
					found = append(found, cycle)
				}
			}
		}
		if len(found) > 0 || rule.HasCycle() {
			out = append(out, fmt.Sprintf("%s: %s, in the rule: %t", list, strings.Join(found, ", "), rule.HasCycle()))
		}
	}
	for _, rule := range r.ToResourceRules {
		add(rule.ResourceMeta.Type, rule)
	}
	for _, rule := range r.ToRules {
		add("to", rule)
	}
	for _, f := range r.FromRules {
		for _, rule := range f.Rules {
			add("from", rule)
		}
	}
	if r.ProxyRule != nil {
		add("default", r.ProxyRule)
	}
	return out
}

// TestPoliciesThatOverrideEachOtherInACycle covers matching.md §3.3. Lists with equal
// fields in the policies are not compared with each other.
func TestPoliciesThatOverrideEachOtherInACycle(t *testing.T) {
	t.Parallel()
	const (
		toMesh = `to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]`
		toCart = `to: [{targetRef: {kind: MeshService, name: cart}, default: {idleTimeout: 1s}}]`
		from   = `from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]`
	)
	timeout := func(name, ref, lists string) string {
		return fmt.Sprintf(`{type: MeshTimeout, name: %s, %s, spec: {targetRef: {%s}, %s}}`, name, inZone, ref, lists)
	}
	displayed := func(document, name string) string {
		return strings.Replace(document, "labels: {", "labels: {kuma.io/display-name: "+name+", ", 1)
	}
	const labeled, neither, named = "kind: Dataplane, labels: {app: web}", "kind: Dataplane", "kind: Dataplane, name: web"
	for name, tt := range map[string]struct{ policies, want []string }{
		"two that tie are ordered by their names": {
			[]string{timeout("b", neither, toMesh), timeout("c", named, toMesh)}, nil,
		},
		"a third policy for another destination completes the cycle": {
			[]string{timeout("a", labeled, toCart), timeout("b", neither, toMesh), timeout("c", named, toMesh)},
			[]string{"MeshService: a b c, in the rule: true", "Mesh: a b c, in the rule: true", "to: a b c, in the rule: true", "to: a b c, in the rule: true"},
		},
		"only one of its policies in a rule": {
			[]string{timeout("a", labeled, from), timeout("b", neither, toMesh), timeout("c", named, from)},
			[]string{"to: a b c, in the rule: false", "from: a b c, in the rule: true"},
		},
		"a name that agrees with the order of references": {
			[]string{timeout("c", labeled, toMesh), timeout("b", neither, toMesh), timeout("a", named, toMesh)}, nil,
		},
		"sections": {
			[]string{timeout("a", labeled+", sectionName: main", from), timeout("b", neither+", sectionName: main", from), timeout("c", named, from)},
			[]string{"from: a b c, in the rule: true"},
		},
		"policies that select no dataplanes by kind": {
			[]string{timeout("a", "kind: Mesh", toMesh), timeout("b", "kind: MeshSubset", toMesh), timeout("c", "kind: Mesh", toMesh)}, nil,
		},
		"equal display names tie": {
			[]string{displayed(timeout("t-1", "kind: Mesh", toMesh), "t"), displayed(timeout("t-2", "kind: Mesh", toMesh), "t"), timeout("u", "kind: Mesh", toMesh)},
			[]string{"Mesh: t-1 t-2, in the rule: true", "to: t-1 t-2, in the rule: true"},
		},
		"equal display names, and entries for destinations of different kinds": {
			[]string{displayed(timeout("t-1", "kind: Mesh", toMesh), "t"), displayed(timeout("t-2", "kind: Mesh", toCart), "t")},
			[]string{"to: t-1 t-2, in the rule: true", "to: t-1 t-2, in the rule: false"},
		},
		"entries of one policy": {
			[]string{timeout("a", neither, "to: [{targetRef: {kind: Mesh}, default: {}}, {targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]")}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := snapshotOf(t, append([]string{aMesh, aDataplane, aCart}, tt.policies...)...)
			if diff := cmp.Diff(tt.want, cycles(t, s, "MeshTimeout")); diff != "" {
				t.Errorf("cycles (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCycleInAProxyRule(t *testing.T) {
	t.Parallel()
	trace := func(name, ref string) string {
		return fmt.Sprintf(`{type: MeshTrace, name: %s, %s, spec: {targetRef: {kind: Dataplane%s}, default: {}}}`, name, inZone, ref)
	}
	s := snapshotOf(t, aMesh, aDataplane, trace("a", ", labels: {app: web}"), trace("b", ""), trace("c", ", name: web"))
	if diff := cmp.Diff([]string{"default: a b c, in the rule: true"}, cycles(t, s, "MeshTrace")); diff != "" {
		t.Errorf("cycles (-want +got):\n%s", diff)
	}
}

// TestRulesWithoutAnOrder checks rules that were not returned by a snapshot.
func TestRulesWithoutAnOrder(t *testing.T) {
	t.Parallel()
	for _, rule := range []ordered{rules.Rule{}, rules.ResourceRule{}, rules.ProxyRule{}} {
		if got := rule.Order().Cycle(0, 1); got != nil || rule.HasCycle() {
			t.Errorf("%T: got cycle %v", rule, got)
		}
	}
}
