package impact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestUpgrade checks that equal resources are compared as two releases match them, and
// that the rules by tag that Kuma 3.0 does not have any more are a change only where no
// rule for the mesh takes their place.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	const selected = `
type: MeshTimeout
mesh: shop
name: named
spec:
  targetRef: {kind: Dataplane, name: web-1}
  to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 7s}}]
`
	const tagged = `
type: MeshTimeout
mesh: shop
name: tagged
spec:
  to: [{targetRef: {kind: MeshService, name: legacy}, default: {idleTimeout: 8s}}]
`
	const caller = "---\n{type: Dataplane, mesh: shop, name: caller, networking: {address: 10.0.0.9, inbound: [{port: 80}], outbound: [{port: 1, tags: {kuma.io/service: legacy}}]}}\n"
	for name, test := range map[string]struct {
		documents string
		want      []string
	}{
		"nothing":      {"", nil},
		"by name":      {selected, []string{"batch-1, web-2: kri_m____shop_ idleTimeout unset -> \"7s\""}},
		"rules by tag": {tagged + caller, []string{"caller: kuma.io/service=legacy reachable true -> false"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resources := testworld.Resources(t, shop, test.documents)
			snapshot := func(r kuma.Release) *rules.Snapshot {
				return rules.NewSnapshotFor(r, resources).RestrictOutbound(false)
			}
			found := compare(t, snapshot(kuma.Newest2()), snapshot(rules.Newest()), "shop")
			var got []string
			for _, r := range found.Rows() {
				got = append(got, fmt.Sprintf("%s: %s %s %s -> %s", strings.Join(r.Dataplanes, ", "), r.Destination, r.Path, value(r.Before), value(r.After)))
			}
			testworld.Equal(t, "changes", test.want, got)
		})
	}
}

func value(v *impact.Value) string {
	if v == nil {
		return "unset"
	}
	return v.JSON
}

// TestLocalityAwarenessOfUpgrade checks that the endpoints stay the same where only Kuma 2 distinguishes inbounds without tags.
func TestLocalityAwarenessOfUpgrade(t *testing.T) {
	t.Parallel()
	const world = `{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
{type: Dataplane, mesh: m, name: api-1, labels: {app: api}, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}
---
{type: MeshService, mesh: m, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: MeshLoadBalancingStrategy, mesh: m, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {localZone: {affinityTags: [{key: rack}]}}}}]}}
`
	before := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, world))
	after := rules.NewSnapshotFor(rules.Newest(), testworld.Resources(t, strings.Replace(world, "labels: {app: api}, networking", "labels: {app: api, more: x}, networking", 1)))
	found, err := impact.CompareProxies(before, after, "m")
	if rows := found.Rows(); err != nil || len(rows) > 0 {
		t.Errorf("got %v, %v", rows, err)
	}
}
