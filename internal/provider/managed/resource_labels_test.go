package managed

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestDisplayNameThatRepeatsTheName checks that a label with the value that a resource has without
// it does not change anything, in both directions: rewriting a mesh for Kuma 3.0 adds and removes it.
func TestDisplayNameThatRepeatsTheName(t *testing.T) {
	t.Parallel()
	type labels = map[string]string
	own, other := labels{kuma.LabelDisplayName: "web"}, labels{kuma.LabelDisplayName: "other"}
	for name, test := range map[string]struct {
		state, planned, stored labels
		want                   []string
	}{
		"added":              {nil, own, nil, nil},
		"added, stored":      {nil, own, own, nil},
		"removed":            {own, nil, own, nil},
		"another, added":     {nil, other, own, []string{kuma.LabelDisplayName}},
		"another, changed":   {own, other, own, []string{kuma.LabelDisplayName}},
		"another, removed":   {other, nil, other, []string{kuma.LabelDisplayName}},
		"another, corrected": {other, own, other, []string{kuma.LabelDisplayName}},
		"origin, removed":    {labels{kuma.LabelOrigin: "zone"}, nil, labels{kuma.LabelOrigin: "zone"}, nil},
		"origin, not own":    {labels{kuma.LabelOrigin: "global"}, nil, labels{kuma.LabelOrigin: "global"}, []string{kuma.LabelOrigin}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, release := range []string{"2.14.3", "2.14.4", "3.0.1"} {
				cp := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1", Release: kuma.ParseRelease(release)}
				r := resourceClient{kind: kinds.MeshService, cp: &connection.Connection{Store: &store.Store{Capabilities: store.Capabilities{ControlPlane: cp}}}}
				if diff := cmp.Diff(test.want, r.immutableChanges(kuma.Key{Type: kuma.KindMeshService, Mesh: "shop", Name: "web"}, test.state, test.planned, test.stored)); diff != "" {
					t.Errorf("immutableChanges on %s (-want +got):\n%s", release, diff)
				}
			}
		})
	}
}

// TestLabelsOfAnOlderRelease checks that a change of labels replaces the resource on a
// release whose updates do not change them.
func TestLabelsOfAnOlderRelease(t *testing.T) {
	t.Parallel()
	type labels = map[string]string
	stored := labels{"app": "web", "team": "a", kuma.LabelMesh: "shop", kuma.LabelZone: "zone-1"}
	for name, test := range map[string]struct {
		kind    def.Kind
		release string
		planned labels
		want    []string
	}{
		"same":             {kinds.Dataplane, "2.9.0", labels{"app": "web", "team": "a"}, nil},
		"changed":          {kinds.Dataplane, "2.9.0", labels{"app": "api", "team": "a"}, []string{"app"}},
		"removed":          {kinds.Dataplane, "2.9.0", nil, []string{"app", "team"}},
		"added":            {kinds.Dataplane, "2.9.0", labels{"app": "web", "team": "a", "tier": "1"}, []string{"tier"}},
		"zone":             {kinds.Dataplane, "2.9.0", labels{"app": "web", "team": "a", kuma.LabelZone: "zone-2"}, []string{kuma.LabelZone}},
		"another kind":     {kinds.MeshTimeout, "2.9.0", labels{"app": "api"}, nil},
		"a later release":  {kinds.Dataplane, "2.11.18", labels{"app": "api"}, nil},
		"zone, later":      {kinds.Dataplane, "2.11.18", labels{kuma.LabelZone: "zone-2"}, []string{kuma.LabelZone}},
		"unknown releases": {kinds.Dataplane, "unknown", labels{"app": "api"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1", Release: kuma.ParseRelease(test.release)}
			r := resourceClient{kind: test.kind, cp: &connection.Connection{Store: &store.Store{Capabilities: store.Capabilities{ControlPlane: cp}}}}
			testworld.Equal(t, "immutableChanges", test.want, r.immutableChanges(kuma.Key{Type: test.kind.Name, Mesh: "shop", Name: "web"}, nil, test.planned, stored))
		})
	}
}
