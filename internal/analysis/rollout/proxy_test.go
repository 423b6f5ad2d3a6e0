package rollout_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// recorded returns the proxies of a recorded list of overviews.
func recorded(t *testing.T, file string) []rollout.Proxy {
	t.Helper()
	var proxies []rollout.Proxy
	for _, overview := range testworld.JSONObjects(t, testworld.Text(t, file)) {
		p, err := rollout.ReadProxy(kuma.KindDataplane, overview)
		testworld.NoError(t, err)
		proxies = append(proxies, p)
	}
	return proxies
}

// TestRecordedProxies compares the summary of recorded proxies.
func TestRecordedProxies(t *testing.T) {
	t.Parallel()
	for _, file := range testworld.Files(t, filepath.Join("testdata", "*.json")) {
		proxies := recorded(t, file)
		rollout.WorstFirst(proxies)
		testworld.Want(t, strings.TrimSuffix(file, ".json")+".txt", rollout.Summary(proxies, rollout.ReadCertificates(proxies, time.Time{}, 0)))
	}
}

// TestReadProxy compares all that is known about a proxy.
func TestReadProxy(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339Nano, text)
		testworld.NoError(t, err)
		return parsed
	}
	identified := &rollout.Certificate{
		Issuer: "kri_mid_m_zone-1__identity_", Expires: at("2026-11-24T13:17:34.340985364Z"), LastRegeneration: at("2026-11-23T13:17:34.340985364Z"),
		Regenerations: 1, SupportedBackends: []string{"kri_mtrust_m___identity_"},
	}
	want := rollout.Proxy{
		Type: kuma.KindDataplane, Mesh: "m", Name: "nack", Zone: "zone-1", Status: rollout.Online,
		Connected: true, Since: at("2026-11-23T13:17:29.277663685Z"), ControlPlaneInstance: "cp-1",
		KumaDP: "2.14.3", Envoy: "1.36.0", Inbounds: 1, Certificate: identified,
		Features: []string{"feature-delta-grpc", "feature-otel-via-kuma-dp", "feature-reuse-port", "feature-strict-inbound-ports", "feature-unified-resource-naming"},
		Responses: rollout.Responses{
			Total:   rollout.Counts{Sent: 5, Acknowledged: 4, Rejected: 1},
			Types:   map[string]rollout.Counts{"cds": {Sent: 1, Acknowledged: 1}, "lds": {Sent: 3, Acknowledged: 2, Rejected: 1}, "eds": {}, "rds": {}},
			Updated: at("2026-11-23T13:17:45.283413369Z"),
		},
	}
	for _, p := range recorded(t, filepath.Join("testdata", "2.14.json")) {
		if p.Name != "nack" {
			continue
		}
		testworld.Equal(t, "result", want, p)
		if got := p.Responses.RejectedTypes(); !cmp.Equal(got, []string{"lds"}) {
			t.Errorf("RejectedTypes() = %v", got)
		}
	}
}

// TestStatus compares the status with what a control plane counts (rest-api.md §17.1).
func TestStatus(t *testing.T) {
	t.Parallel()
	const connected = `dataplaneInsight: {subscriptions: [{connectTime: "2026-11-23T13:00:00Z"}]}`
	for name, c := range map[string]struct {
		overview string
		want     rollout.Status
	}{
		"never connected":                {`dataplane: {networking: {inbound: [{port: 80}]}}`, rollout.Offline},
		"empty insight":                  {`dataplaneInsight: {}`, rollout.Offline},
		"all inbounds ready":             {`{dataplane: {networking: {inbound: [{port: 80}]}}, ` + connected + `}`, rollout.Online},
		"without inbounds":               {`{` + connected + `}`, rollout.Online},
		"one of two ready":               {`{dataplane: {networking: {inbound: [{port: 80}, {port: 81, state: NotReady}]}}, ` + connected + `}`, rollout.PartiallyDegraded},
		"none ready":                     {`{dataplane: {networking: {inbound: [{port: 81, state: NotReady}]}}, ` + connected + `}`, rollout.Offline},
		"none ready, one ignored":        {`{dataplane: {networking: {inbound: [{port: 81, state: NotReady}, {port: 82, state: Ignored}]}}, ` + connected + `}`, rollout.PartiallyDegraded},
		"disconnected":                   {`dataplaneInsight: {subscriptions: [{connectTime: "2026-11-23T13:00:00Z", disconnectTime: "2026-11-23T13:01:00Z"}]}`, rollout.Offline},
		"connected again, listed first":  {`dataplaneInsight: {subscriptions: [{connectTime: "2026-11-23T14:00:00Z"}, {connectTime: "2026-11-23T13:00:00Z", disconnectTime: "2026-11-23T13:01:00Z"}]}`, rollout.Online},
		"reconnected and gone once more": {`dataplaneInsight: {subscriptions: [{connectTime: "2026-11-23T13:00:00Z", disconnectTime: "2026-11-23T13:01:00Z"}, {connectTime: "2026-11-23T14:00:00Z", disconnectTime: "2026-11-23T14:01:00Z"}]}`, rollout.Offline},
	} {
		p, err := rollout.ReadProxy(kuma.KindDataplane, testworld.Document(t, c.overview))
		if err != nil || p.Status != c.want {
			t.Errorf("%s: status %q, error %v, want %q", name, p.Status, err, c.want)
		}
	}
}

// TestUnreadableOverview shows that a value of the wrong form is an error.
func TestUnreadableOverview(t *testing.T) {
	t.Parallel()
	for _, overview := range []string{
		`{name: web, mesh: m, dataplaneInsight: {subscriptions: [{connectTime: yesterday}]}}`,
		`{name: web, mesh: m, dataplaneInsight: {subscriptions: [{connectTime: "2026-11-23T14:00:00Z", status: {total: {responsesSent: many}}}]}}`,
	} {
		if _, err := rollout.ReadProxy(kuma.KindDataplane, testworld.Document(t, overview)); err == nil || !strings.Contains(err.Error(), `Dataplane "web" of mesh "m"`) {
			t.Errorf("the error about %s is %v", overview, err)
		}
	}
}

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
