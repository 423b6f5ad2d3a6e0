package store

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// TestManageableInZone checks that the zone of a global control plane, which lists all kinds as read-only,
// has resources: those that clients write, and not what it reports about them.
func TestManageableInZone(t *testing.T) {
	t.Parallel()
	listed := map[string]controlplane.ListedKind{}
	for _, name := range []string{kuma.KindDataplane, kinds.MeshTimeout.Name, kuma.KindMesh, "TrafficRoute", "DataplaneInsight"} {
		listed[name] = controlplane.ListedKind{Kind: def.Kind{Name: name}, ReadOnly: true}
	}
	for federated, want := range map[bool][]string{false: nil, true: {kuma.KindDataplane, kuma.KindMesh, kinds.MeshTimeout.Name, "TrafficRoute"}} {
		c := Capabilities{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Federated: federated}, kinds: listed}
		var got []string
		for _, k := range c.Manageable() {
			got = append(got, k.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("federated %t: manageable kinds %v, want %v", federated, got, want)
		}
	}
}
