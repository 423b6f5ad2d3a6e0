package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	type labels = map[string]string
	policy := spec.Kind{Name: "MeshTimeout", ZoneOwned: true, GlobalOwned: true}
	ofGlobal := spec.Kind{Name: "MeshMultiZoneService", GlobalOwned: true}
	generator := spec.Kind{Name: "HostnameGenerator", Scope: spec.Global, ZoneOwned: true}
	proxy := spec.Kind{Name: "Dataplane", ZoneOwned: true, ProxyLabels: func(mesh.Resource) map[string]string {
		return labels{"kuma.io/proxy-type": "sidecar", "kuma.io/listener-zoneegress": ""}
	}}
	zone := spec.ControlPlane{Mode: spec.ModeZone, Zone: "east"}
	global := spec.ControlPlane{Mode: spec.ModeGlobal}
	ofZone := labels{"kuma.io/origin": "zone", "kuma.io/zone": "east", "kuma.io/env": "universal", "kuma.io/mesh": "shop"}
	with := func(l labels, more ...string) labels {
		out := labels{}
		for k, v := range l {
			out[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	tests := map[string]struct {
		kind spec.Kind
		cp   spec.ControlPlane
		sent labels
		want labels
	}{
		"policy in a zone":        {policy, zone, nil, ofZone},
		"policy on global":        {policy, global, nil, labels{"kuma.io/mesh": "shop"}},
		"own labels":              {policy, zone, labels{"team": "a"}, with(ofZone, "team", "a")},
		"labels sent":             {policy, zone, labels{"kuma.io/env": "x", "kuma.io/mesh": "y"}, with(ofZone, "kuma.io/env", "x", "kuma.io/mesh", "y")},
		"from global":             {policy, zone, labels{"kuma.io/origin": "global"}, labels{"kuma.io/origin": "global", "kuma.io/mesh": "shop"}},
		"not of zones":            {ofGlobal, zone, nil, labels{"kuma.io/mesh": "shop"}},
		"in no mesh":              {generator, zone, nil, labels{"kuma.io/origin": "zone", "kuma.io/zone": "east", "kuma.io/env": "universal"}},
		"in no mesh on global":    {generator, global, nil, labels{}},
		"proxies are overwritten": {proxy, zone, labels{"kuma.io/proxy-type": "x", "kuma.io/listener-zoneegress": "enabled"}, with(ofZone, "kuma.io/proxy-type", "sidecar")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mesh.Resource{Type: tt.kind.Name, Name: "a", Labels: tt.sent}
			if tt.kind.Scope == spec.InMesh {
				r.Mesh = "shop"
			}
			if diff := cmp.Diff(tt.want, tt.kind.Labels(r, tt.cp)); diff != "" {
				t.Errorf("Labels(%v) (-want +got):\n%s", tt.sent, diff)
			}
		})
	}
}
