package impact_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestClientsThatWereAllowedAlready checks that a client in a list of permissions is a change only if it
// decides about a client: not if another entry of the list contains it, or if it denies what nothing allows.
func TestClientsThatWereAllowedAlready(t *testing.T) {
	t.Parallel()
	permission := func(name, lists string) string {
		return `{type: MeshTrafficPermission, mesh: shop, name: ` + name + `, spec: {rules: [{default: {` + lists + `}}]}}`
	}
	const exact, prefix = `{spiffeID: {type: Exact, value: "spiffe://td/a"}}`, `{spiffeID: {type: Prefix, value: "spiffe://td"}}`
	const a = "web-1: rules port 8080 allow[]: none -> "
	for name, tt := range map[string]struct {
		before, after string
		want          []string
	}{
		"again":             {"allow: [" + exact + "]", "allow: [" + exact + "]", nil},
		"by a prefix":       {"allow: [" + prefix + "]", "allow: [" + exact + "]", nil},
		"in another order":  {"allow: [" + exact + ", " + prefix + "]", "allow: [" + prefix + ", " + exact + "]", nil},
		"a longer prefix":   {"allow: [" + exact + "]", "allow: [" + prefix + "]", []string{a + `{"spiffeID":{"type":"Prefix","value":"spiffe://td"}} by b#0`}},
		"denied by another": {"deny: [" + prefix + "]", "deny: [" + exact + "]", nil},
		"denied of nothing": {"allow: [{spiffeID: {type: Exact, value: \"spiffe://td/b\"}}]", "deny: [" + exact + "]", nil},
		"denied of allowed": {"allow: [" + prefix + "]", "deny: [" + exact + "]", []string{`web-1: rules port 8080 deny[]: none -> {"spiffeID":{"type":"Exact","value":"spiffe://td/a"}} by b#0`}},
		"allowed and denied": {"allow: [{spiffeID: {type: Exact, value: \"spiffe://td/b\"}}]", "allow: [" + exact + "], deny: [" + exact + "]", []string{
			a + `{"spiffeID":{"type":"Exact","value":"spiffe://td/a"}} by b#0`, `web-1: rules port 8080 deny[]: none -> {"spiffeID":{"type":"Exact","value":"spiffe://td/a"}} by b#0`,
		}},
		"denied by name": {"allow: [" + exact + "]", "deny: [{sni: {type: Exact, value: x}}]", []string{`web-1: rules port 8080 deny[]: none -> {"sni":{"type":"Exact","value":"x"}} by b#0`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := testworld.Resources(t, secureMesh, identity, permission("a", tt.before))
			after := testworld.Resources(t, secureMesh, identity, permission("a", tt.before), permission("b", tt.after))
			found := compare(t, rules.NewSnapshot(before), rules.NewSnapshot(after), "shop")
			testworld.Equal(t, "changes", tt.want, lines(found))
			if hasEffect := len(found.WithoutEffect) == 0; hasEffect != (tt.want != nil) {
				t.Errorf("without effect: %v", found.WithoutEffect)
			}
		})
	}
}
