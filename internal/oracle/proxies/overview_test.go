package proxies_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// proxiesOf returns the proxies of mesh m as the control plane knows them.
func proxiesOf(ctx context.Context, cp *oracle.Site) (proxies []rollout.Proxy, at time.Time, err error) {
	for o, err := range cp.Client.Overviews(ctx, kinds.Dataplane, "m") {
		if err != nil {
			return nil, at, err
		}
		p, err := rollout.ReadProxy(kinds.Dataplane.Name, o.Document)
		if err != nil {
			return nil, at, err
		}
		proxies, at = append(proxies, p), o.At
	}
	return proxies, at, nil
}

// TestStatusOfProxies compares the statuses of proxies with those that the control plane
// counts in the insight of the mesh.
func TestStatusOfProxies(t *testing.T) {
	cp := start(t)
	inbounds := func(name, states string) string {
		return "{type: Dataplane, mesh: m, name: " + name + ", networking: {address: 127.0.0.1, inbound: [" + states + "]}}"
	}
	const (
		ready    = "{port: 80, tags: {kuma.io/service: a}}"
		notReady = "{port: 81, state: NotReady, tags: {kuma.io/service: a}}"
		ignored  = "{port: 82, state: Ignored, tags: {kuma.io/service: a}}"
	)
	resources := store(t, cp, plainMesh,
		inbounds("ready", ready), inbounds("part", ready+", "+notReady), inbounds("unready", notReady),
		inbounds("ignored", ignored), inbounds("ready-ignored", ready+", "+ignored), inbounds("unready-ignored", notReady+", "+ignored), inbounds("gone", ready))
	connected := connect(t, cp, resources)
	store(t, cp, inbounds("never", ready))
	testworld.NoError(t, connected["gone"].Close())
	want := map[string]rollout.Status{
		"ready": rollout.Online, "part": rollout.PartiallyDegraded, "unready": rollout.Offline, "gone": rollout.Offline, "never": rollout.Offline,
		"ignored": rollout.Online, "ready-ignored": rollout.Online, "unready-ignored": rollout.PartiallyDegraded,
	}
	var got map[string]rollout.Status
	var counted, ours map[rollout.Status]int
	err := oracle.Until(t.Context(), 40*time.Second, time.Second, "the insight of the mesh", func(ctx context.Context) (bool, error) {
		proxies, _, err := proxiesOf(ctx, cp)
		if err != nil {
			return false, err
		}
		got = map[string]rollout.Status{}
		for _, p := range proxies {
			got[p.Name] = p.Status
		}
		answer, err := cp.Get(ctx, "/mesh-insights/m")
		if err != nil {
			return false, err
		}
		n := tree.Object(tree.Object(answer.Body)["dataplanes"])
		ours = rollout.Count(proxies)
		counted = map[rollout.Status]int{rollout.Online: tree.Int(n["online"]), rollout.PartiallyDegraded: tree.Int(n["partiallyDegraded"]), rollout.Offline: tree.Int(n["offline"]), rollout.Unknown: 0}
		return maps.Equal(want, got) && maps.Equal(ours, counted), nil
	})
	if err != nil {
		t.Errorf("%v: the statuses are %v, want %v; the control plane counts %v, want %v", err, got, want, counted, ours)
	}
}
