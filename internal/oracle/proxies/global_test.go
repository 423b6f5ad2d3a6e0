package proxies_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// startOne starts a control plane with options besides the binary.
func startOne(t *testing.T, o oracle.Options) *oracle.Site {
	t.Helper()
	o.Binary = os.Getenv("KUMA_CP")
	if o.Binary == "" {
		t.Skip("KUMA_CP does not name a kuma-cp")
	}
	s, err := oracle.Start(t.Context(), o)
	testworld.NoError(t, err)
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
		testworld.NoError(t, oracle.Until(t.Context(), time.Minute, time.Second/2, about, done))
	}
	store(t, global, plainMesh)
	d := oracle.Deployment{Sites: []*oracle.Site{global, zone}}
	testworld.NoError(t, d.AwaitMesh(t.Context(), "m"))
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
	testworld.NoError(t, err)
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
	testworld.NoError(t, zone.Stop())
	const settled = 20 * time.Second // twice the interval in which overviews are written
	time.Sleep(settled)
	all, _, err := proxiesOf(t.Context(), global)
	if err != nil || len(all) != 1 || !all[0].Connected || all[0].Status != rollout.Online {
		t.Errorf("after the zone has stopped: %+v, error %v", all, err)
	}
	zones := 0
	for o, err := range global.Client.Overviews(t.Context(), kinds.Zone, "") {
		zones++
		if name, connected, errRead := rollout.ReadZone(o.Document); name != "east" || connected || errors.Join(err, errRead) != nil {
			t.Errorf("the overview of the zone is %v, error %v", o.Document, errors.Join(err, errRead))
		}
	}
	if zones != 1 {
		t.Errorf("%d zones", zones)
	}
	t.Run("Terraform", func(t *testing.T) { checkOfflineZone(t, global) })
}

// checkOfflineZone reads the proxy of the stopped zone, and waits for a change of its policies.
func checkOfflineZone(t *testing.T, global *oracle.Site) {
	t.Helper()
	terraform := needTerraform(t)
	run := newTerraform(t, terraform, fmt.Sprintf(waitForRollout, global.Endpoint)+`
data "kuma_proxies" "all" {
  mesh       = "m"
  depends_on = [kuma_mesh_timeout.in]
}
output "proxies" { value = data.kuma_proxies.all.summary }
`)
	out, err := run("apply", "-auto-approve", "-no-color", "-var", "request=4s")
	t.Logf("%s", out)
	for _, want := range []string{"1 proxy: 0 online, 0 partially degraded, 0 offline, 1 unknown.", "The rollout is not complete: of 1 proxy, 1 zone offline.", "(zone east)"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
