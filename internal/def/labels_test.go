package def_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	type labels = map[string]string
	policy := def.Kind{Name: "MeshTimeout", ZoneOwned: kuma.Always(), GlobalOwned: true}
	ofGlobal := def.Kind{Name: "MeshMultiZoneService", GlobalOwned: true, ZoneOwned: kuma.Before("2.10")}
	generator := def.Kind{Name: "HostnameGenerator", Scope: def.Global, ZoneOwned: kuma.Always()}
	proxy := def.Kind{Name: "Dataplane", ZoneOwned: kuma.Always(), ProxyLabels: func(kuma.Resource) map[string]string {
		return labels{"kuma.io/proxy-type": "sidecar", "kuma.io/listener-zoneegress": ""}
	}}
	zone := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east"}
	older, newer := zone, zone
	older.Release, newer.Release = kuma.Release{Major: 2, Minor: 9}, kuma.Release{Major: 2, Minor: 10}
	global := kuma.ControlPlane{Mode: kuma.ModeGlobal}
	ofZone := labels{"kuma.io/origin": "zone", "kuma.io/zone": "east", "kuma.io/env": "universal", "kuma.io/mesh": "shop"}
	with := func(l labels, more ...string) labels {
		out := labels{}
		maps.Copy(out, l)
		for i := 0; i < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	tests := map[string]struct {
		kind def.Kind
		cp   kuma.ControlPlane
		sent labels
		want labels
	}{
		"policy in a zone":        {policy, zone, nil, ofZone},
		"policy on global":        {policy, global, nil, labels{"kuma.io/mesh": "shop"}},
		"own labels":              {policy, zone, labels{"team": "a"}, with(ofZone, "team", "a")},
		"labels sent":             {policy, zone, labels{"kuma.io/env": "x", "kuma.io/mesh": "y"}, with(ofZone, "kuma.io/env", "x", "kuma.io/mesh", "y")},
		"from global":             {policy, zone, labels{"kuma.io/origin": "global"}, labels{"kuma.io/origin": "global", "kuma.io/mesh": "shop"}},
		"not of zones":            {ofGlobal, zone, nil, labels{"kuma.io/mesh": "shop"}},
		"once of zones":           {ofGlobal, older, nil, ofZone},
		"not any more":            {ofGlobal, newer, nil, labels{"kuma.io/mesh": "shop"}},
		"in no mesh":              {generator, zone, nil, labels{"kuma.io/origin": "zone", "kuma.io/zone": "east", "kuma.io/env": "universal"}},
		"in no mesh on global":    {generator, global, nil, labels{}},
		"proxies of 2.10":         {proxy, newer, labels{"kuma.io/proxy-type": "x", "kuma.io/listener-zoneegress": "enabled"}, with(ofZone, "kuma.io/proxy-type", "sidecar", "kuma.io/listener-zoneegress", "enabled")},
		"proxies of 2.9":          {proxy, older, nil, ofZone},
		"proxies are overwritten": {proxy, zone, labels{"kuma.io/proxy-type": "x", "kuma.io/listener-zoneegress": "enabled"}, with(ofZone, "kuma.io/proxy-type", "sidecar")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := kuma.Resource{Type: tt.kind.Name, Name: "a", Labels: tt.sent}
			if tt.kind.Scope == def.InMesh {
				r.Mesh = "shop"
			}
			if diff := cmp.Diff(tt.want, tt.kind.Labels(r, tt.cp)); diff != "" {
				t.Errorf("Labels(%v) (-want +got):\n%s", tt.sent, diff)
			}
		})
	}
}
