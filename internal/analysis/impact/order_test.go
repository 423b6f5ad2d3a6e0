package impact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// tied are two policies of which nothing but their names makes b the stronger one, and a
// new one about stock. That is weaker than c, because c names the proxy, and stronger
// than b by its name: sorting starts with a and b, and then leaves c behind a
// (matching.md §3.3).
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
  to: [{targetRef: {kind: MeshService, name: stock}, default: {idleTimeout: 1h}}]
`
)

// TestPolicyThatSwapsOthers: a new policy about stock makes c stronger than b for
// everything else, about which it says nothing. Kuma 2.14 does the same.
func TestPolicyThatSwapsOthers(t *testing.T) {
	t.Parallel()
	before := rules.NewSnapshot(testworld.Resources(t, shop, tied))
	after := rules.NewSnapshot(testworld.Resources(t, shop, tied, swapping))
	found, err := impact.Compare(before, after, "shop", "MeshTimeout")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range found.Groups {
		for _, c := range g.Changes {
			got = append(got, g.Dataplanes[0]+": "+c.Destination+" "+c.Path+" "+text(c.Before)+" -> "+text(c.After))
		}
	}
	want := []string{
		`web-1: any http.requestTimeout "2s" of b -> "3s" of c`,
		`web-1: kri_m____shop_ http.requestTimeout "2s" of b -> "3s" of c`,
		`web-1: kri_msvc_shop___stock_ http.requestTimeout "2s" of b -> "3s" of c`,
		`web-1: kri_msvc_shop___stock_ idleTimeout none -> "1h" of a`,
		`web-1: kuma.io/service=stock http.requestTimeout "2s" of b -> "3s" of c`,
		`web-1: kuma.io/service=stock idleTimeout none -> "1h" of a`,
		`web-2: kri_msvc_shop___stock_ idleTimeout none -> "1h" of a`,
		`web-2: kuma.io/service=stock idleTimeout none -> "1h" of a`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// text writes a value and the policy that it comes from.
func text(v *impact.Value) string {
	if v == nil {
		return "none"
	}
	return v.JSON + " of " + v.SetBy.Name
}
