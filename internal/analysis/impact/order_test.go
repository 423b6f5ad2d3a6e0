package impact_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// tied has two policies of which b takes precedence only by its name. The new
// policy a, in swapping, targets stock. It has lower precedence than c, because
// c names the proxy, and higher precedence than b by its name: sorting starts
// with a and b, and then leaves c behind a (matching.md §3.3).
const (
	tied = `
type: MeshTimeout
mesh: shop
name: b
spec:
  targetRef: {kind: Dataplane}
  to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 2s}}}]
---
type: MeshTimeout
mesh: shop
name: c
spec:
  targetRef: {kind: Dataplane, name: web-1}
  to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 3s}}}]
---
type: MeshTimeout
mesh: shop
name: stock
spec:
  to: [{targetRef: {kind: MeshService, name: stock}, default: {connectionTimeout: 1s}}]
`
	swapping = `
type: MeshTimeout
mesh: shop
name: a
spec:
  targetRef: {kind: Dataplane, labels: {app: web}}
  to: [{targetRef: {kind: MeshService, name: stock}, default: {idleTimeout: 2h}}]
`
)

// TestPolicyReversesOrder checks that after a new policy for stock, c takes
// precedence over b for all other destinations, which the new policy does not
// target. Kuma 2.14 behaves the same.
func TestPolicyReversesOrder(t *testing.T) {
	t.Parallel()
	before := rules.NewSnapshot(testworld.Resources(t, shop, tied))
	after := rules.NewSnapshot(testworld.Resources(t, shop, tied, swapping))
	found := compare(t, before, after, "shop", "MeshTimeout")
	var got []string
	for _, g := range found.Groups {
		for _, c := range g.Changes {
			got = append(got, g.Dataplanes[0]+": "+c.Destination+" "+c.Path+" "+text(c.Before)+" -> "+text(c.After)+" by "+string(c.Cause))
		}
	}
	want := []string{
		`web-1: any http.requestTimeout "2s" of b -> "3s" of c by order`,
		`web-1: kri_m____shop_ http.requestTimeout "2s" of b -> "3s" of c by order`,
		`web-1: kri_msvc_shop___stock_ http.requestTimeout "2s" of b -> "3s" of c by order`,
		`web-1: kri_msvc_shop___stock_ idleTimeout none -> "2h" of a by settings`,
		`web-1: kuma.io/service=stock http.requestTimeout "2s" of b -> "3s" of c by order`,
		`web-1: kuma.io/service=stock idleTimeout none -> "2h" of a by settings`,
		`web-2: kri_msvc_shop___stock_ idleTimeout none -> "2h" of a by settings`,
		`web-2: kuma.io/service=stock idleTimeout none -> "2h" of a by settings`,
	}
	testworld.Equal(t, "changes", want, got)
	swaps := []impact.Swap{{Type: "MeshTimeout", Winner: "c", Overridden: "b", Dataplanes: []string{"web-1"}}}
	testworld.Equal(t, "swaps", swaps, found.Swaps())
}

// TestChangedPolicyIsNotSwapped checks that a policy that takes precedence
// because its own targetRef changed does not count as reordered by others.
func TestChangedPolicyIsNotSwapped(t *testing.T) {
	t.Parallel()
	before := rules.NewSnapshot(testworld.Resources(t, shop, tied))
	after := rules.NewSnapshot(testworld.Resources(t, shop, testworld.Edited(t, tied, "targetRef: {kind: Dataplane}", "targetRef: {kind: Mesh}")))
	found := compare(t, before, after, "shop", "MeshTimeout")
	if len(found.Rows()) == 0 || len(found.Swaps()) > 0 {
		t.Errorf("got %d changes and swaps %v, want changes and no swaps", len(found.Rows()), found.Swaps())
	}
	for _, r := range found.Rows() {
		if r.Cause != impact.CauseSettings {
			t.Errorf("%s %s changes because of the %s", r.Destination, r.Path, r.Cause)
		}
	}
}

// TestInboundOrderSwaps checks rules for incoming traffic, which are merged in an order
// of their own.
func TestInboundOrderSwaps(t *testing.T) {
	t.Parallel()
	policy := func(name, ref, path string) string {
		return `{type: MeshTimeout, mesh: shop, name: ` + name + `, spec: {targetRef: {kind: Dataplane` + ref + `}, rules: [{default: {` + path + `}}]}}`
	}
	b, c := policy("b", "", "idleTimeout: 2s"), policy("c", ", name: web-1", "idleTimeout: 3s")
	a := policy("a", ", labels: {app: web}", "connectionTimeout: 1s")
	found, err := impact.Compare(
		rules.NewSnapshot(testworld.Resources(t, shop, b, c)),
		rules.NewSnapshot(testworld.Resources(t, shop, a, b, c)), "shop", "MeshTimeout")
	testworld.NoError(t, err)
	var got []string
	for _, r := range found.Rows() {
		got = append(got, strings.Join(r.Dataplanes, " ")+": "+r.Destination+" "+r.Path+" "+text(r.Before)+" -> "+text(r.After)+" by "+string(r.Cause))
	}
	want := []string{
		`web-1 web-2: port 8080 connectionTimeout none -> "1s" of a by settings`,
		`web-1: port 8080 idleTimeout "2s" of b -> "3s" of c by order`,
	}
	testworld.Equal(t, "changes", want, got)
}

// text formats a value and the policy that sets it.
func text(v *impact.Value) string {
	if v == nil {
		return "none"
	}
	return v.JSON + " of " + v.SetBy.Name
}
