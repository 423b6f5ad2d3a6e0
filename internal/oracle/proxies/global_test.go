package proxies_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// startOne starts a control plane with options besides the binary.
func startOne(t *testing.T, o oracle.Options) *oracle.Site {
	t.Helper()
	o.Binary = os.Getenv("KUMA_CP")
	if o.Binary == "" {
		t.Skip("KUMA_CP does not name a kuma-cp")
	}
	s, err := oracle.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// TestProxiesThroughGlobal reads the proxy of a zone from its global control plane, which
// generates no configuration. After the zone has stopped, the global control plane still
// shows what it has received last.
func TestProxiesThroughGlobal(t *testing.T) {
	global := startOne(t, oracle.Options{Mode: kuma.ModeGlobal})
	zone := startOne(t, oracle.Options{Zone: "east", Global: global})
	until := func(about string, done func(ctx context.Context) (bool, error)) {
		t.Helper()
		if err := oracle.Until(t.Context(), time.Minute, time.Second/2, about, done); err != nil {
			t.Fatal(err)
		}
	}
	store(t, global, plainMesh)
	var token string
	until("the key of the mesh in the zone", func(ctx context.Context) (bool, error) {
		var err error
		token, err = zone.Client.IssueToken(ctx, controlplane.DataplaneToken{Mesh: "m", Name: "web", ValidFor: "1h"})
		if _, ok := errors.AsType[*controlplane.SigningKeyError](err); ok {
			return false, nil
		}
		return true, err
	})
	store(t, zone, dataplane("web", 1))
	p, err := proxies.Connect(t.Context(), zone, proxies.Options{Mesh: "m", Dataplane: "web", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var seen rollout.Proxy
	until("the proxy in the global control plane", func(ctx context.Context) (bool, error) {
		all, _, err := proxiesOf(ctx, global)
		if err != nil || len(all) == 0 {
			return false, err
		}
		seen = all[0]
		return seen.Responses.Total.Acknowledged > 0, nil
	})
	if !seen.Connected || seen.Status != rollout.Online || seen.Zone != "east" {
		t.Errorf("%+v", seen)
	}
	_, err = global.Client.ProxyConfig(t.Context(), "m", seen.Name, false)
	if _, ok := errors.AsType[*controlplane.NotAllowedError](err); !ok {
		t.Errorf("the configuration of %s: %v", seen.Name, err)
	}
	if err := zone.Stop(); err != nil {
		t.Fatal(err)
	}
	const settled = 20 * time.Second // twice the interval in which overviews are written
	time.Sleep(settled)
	all, _, err := proxiesOf(t.Context(), global)
	if err != nil || len(all) != 1 || !all[0].Connected || all[0].Status != rollout.Online {
		t.Errorf("after the zone has stopped: %+v, error %v", all, err)
	}
	zones := 0
	for o, err := range global.Client.Overviews(t.Context(), kinds.Zone, "") {
		zones++
		subscriptions := tree.Objects(tree.Object(o.Document["zoneInsight"])["subscriptions"])
		if err != nil || len(subscriptions) != 1 || subscriptions[0]["disconnectTime"] == nil {
			t.Errorf("the overview of the zone is %v, error %v", o.Document, err)
		}
	}
	if zones != 1 {
		t.Errorf("%d zones", zones)
	}
}
