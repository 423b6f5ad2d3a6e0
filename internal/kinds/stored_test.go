package kinds_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestStoredByZone(t *testing.T) {
	t.Parallel()
	const probed = `networking: {address: 10.0.0.1, inbound: [{port: 80, state: Ready, serviceProbe: {interval: 1m}}]}`
	tests := map[string]struct {
		in   string
		c    def.StoreContext
		want string
	}{
		"new inbound with a probe": {
			probed,
			def.StoreContext{ControlPlane: zone, Create: true},
			`networking: {address: 10.0.0.1, inbound: [{port: 80, health: {}, state: NotReady, tags: {kuma.io/zone: zone-1}, serviceProbe: {interval: 60s}}]}`,
		},
		"inbound with a probe, written again": {
			probed,
			def.StoreContext{ControlPlane: zone},
			`networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/zone: zone-1}, serviceProbe: {interval: 60s}}]}`,
		},
		"inbound without tags in a mesh without tags": {
			`networking: {address: 10.0.0.1, inbound: [{port: 80}]}`,
			def.StoreContext{ControlPlane: zone, Mesh: meshes["normx"]},
			`networking: {address: 10.0.0.1, inbound: [{port: 80}]}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := kuma.Resource{Type: "Dataplane", Mesh: "default", Name: "web", Body: testworld.Document(t, tt.in)}
			if diff := gocmp.Diff(testworld.Document(t, tt.want), kinds.Dataplane.Store(r, tt.c).Body); diff != "" {
				t.Errorf("Store (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMetricsOfMesh checks that a metrics backend gets defaults even if it has
// no conf.
func TestMetricsOfMesh(t *testing.T) {
	t.Parallel()
	r := kuma.Resource{Type: "Mesh", Name: "shop", Body: testworld.Document(t, `metrics: {backends: [{name: a, type: prometheus}]}`)}
	want := testworld.Document(t, `metrics: {backends: [{name: a, type: prometheus, conf: {port: 5670, path: /metrics, tags: {kuma.io/service: dataplane-metrics}, tls: {}}}]}`)
	if diff := gocmp.Diff(want, kinds.Mesh.Store(r, def.StoreContext{ControlPlane: zone}).Body); diff != "" {
		t.Errorf("Store (-want +got):\n%s", diff)
	}
}
