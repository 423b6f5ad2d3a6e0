package rollout_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestReadZone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		overview  string
		connected bool
	}{
		"never connected": {`{name: east, zone: {}}`, false},
		"connected":       {`{name: east, zoneInsight: {subscriptions: [{connectTime: "2026-11-23T13:00:00Z"}]}}`, true},
		"disconnected":    {`{name: east, zoneInsight: {subscriptions: [{connectTime: "2026-11-23T13:00:00Z", disconnectTime: "2026-11-23T13:01:00Z"}]}}`, false},
	} {
		zone, connected, err := rollout.ReadZone(testworld.Document(t, c.overview))
		if zone != "east" || connected != c.connected || err != nil {
			t.Errorf("%s: %q, %v, error %v", name, zone, connected, err)
		}
	}
	if _, _, err := rollout.ReadZone(testworld.Document(t, `{name: east, zoneInsight: {subscriptions: [{connectTime: "2026-11-23T13:00:00Z", disconnectTime: soon}]}}`)); err == nil || !strings.Contains(err.Error(), `Zone "east"`) {
		t.Errorf("the error is %v", err)
	}
}

// TestOfflineZone shows that nothing is concluded from what an offline zone has sent last.
func TestOfflineZone(t *testing.T) {
	t.Parallel()
	proxies := recorded(t, filepath.Join("testdata", "2.14.json"))
	for i := range proxies {
		proxies[i].Zone = []string{"west", "east"}[i%2]
		proxies[i] = proxies[i].InOfflineZone()
	}
	if zones := rollout.OfflineZones(proxies); !slices.Equal(zones, []string{"east", "west"}) {
		t.Errorf("the zones are %v", zones)
	}
	certificates := rollout.ReadCertificates(proxies, written, time.Hour)
	const want = `6 proxies: 0 online, 0 partially degraded, 0 offline, 6 unknown.
Not known, because the zone is not connected to the global control plane (6): gone (zone west), nack (zone east), never (zone west), slow (zone east), two (zone west) and web (zone east).
`
	if diff := cmp.Diff(want, rollout.Summary(proxies, certificates)); diff != "" || certificates.Ready {
		t.Errorf("ready %v, (-want +got):\n%s", certificates.Ready, diff)
	}
	connected := state{updated: 1.6, listeners: [3]int64{2, 2, 0}}
	got := rollout.NewProgress(rollout.Change{First: written, Last: written}).Read(rollout.Reading{
		At: written.Add(time.Minute), Proxies: []rollout.Proxy{connected.proxy("web"), connected.proxy("far").InOfflineZone()},
	})
	const summary = `The rollout is not complete: of 2 proxies, 1 zone offline and 1 acknowledged.
Keep the configuration that they had, because their zone is not connected to the global control plane; they get it when the zone connects: far (zone ).
`
	if diff := cmp.Diff(summary, got.Summary()); diff != "" || !got.Done() {
		t.Errorf("done %v, (-want +got):\n%s", got.Done(), diff)
	}
}
