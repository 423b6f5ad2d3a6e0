package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// overviewServer is a control plane that lists given overviews of Dataplanes.
type overviewServer struct {
	*embedded.Server
	mesh      string // of the overviews; m when it is empty
	overviews []any
	date      string       // of the answers; now when it is empty
	requests  atomic.Int64 // for overviews
}

// start returns the provider block for the server. The handler answers, the server itself
// when it is nil.
func (o *overviewServer) start(t *testing.T, handler http.Handler) string {
	t.Helper()
	if handler == nil {
		handler = o
	}
	var err error
	if o.Server, err = embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.Newest2()}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL)
}

// path is the path of the overviews.
func (o *overviewServer) path() string {
	if o.mesh == "" {
		return "/meshes/m/dataplanes/_overview"
	}
	return "/meshes/" + o.mesh + "/dataplanes/_overview"
}

func (o *overviewServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != o.path() {
		o.Server.ServeHTTP(w, r)
		return
	}
	o.requests.Add(1)
	offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	size, _ := strconv.Atoi(r.URL.Query().Get("size"))
	end := min(offset+size, len(o.overviews))
	page := map[string]any{"total": len(o.overviews), "items": o.overviews[offset:end], "next": nil}
	if end < len(o.overviews) {
		page["next"] = fmt.Sprintf("http://elsewhere/?offset=%d", end)
	}
	w.Header().Set("Content-Type", "application/json")
	if o.date != "" {
		w.Header().Set("Date", o.date)
	}
	_ = json.NewEncoder(w).Encode(page)
}

// recordedOverviews are the overviews of proxies in different states.
func recordedOverviews(t *testing.T) []any {
	t.Helper()
	var overviews []any
	for _, o := range testworld.JSONObjects(t, testworld.Text(t, "../analysis/rollout/testdata/2.14.json")) {
		overviews = append(overviews, o)
	}
	return overviews
}

func TestProxiesOfRecordedControlPlane(t *testing.T) {
	t.Parallel()
	needCLI(t)
	server := overviewServer{overviews: recordedOverviews(t), date: "Mon, 23 Nov 2026 13:18:00 GMT"}
	c := newCLI(t, map[string]string{"main.tf": requiredProvider + server.start(t, nil) + `
data "kuma_proxies" "all" {
  mesh = "m"
}
data "kuma_proxies" "offline" {
  mesh   = "m"
  status = "offline"
}
output "names" { value = [for p in data.kuma_proxies.all.proxies : p.name] }
output "offline" { value = { for p in data.kuma_proxies.offline.proxies : p.name => p.since } }
output "counts" { value = [data.kuma_proxies.all.counts, data.kuma_proxies.offline.counts] }
output "nack" { value = data.kuma_proxies.all.proxies[0] }
output "never" { value = one([for p in data.kuma_proxies.all.proxies : p if p.name == "never"]) }
output "two" { value = one([for p in data.kuma_proxies.all.proxies : p.unready_inbounds if p.name == "two"]) }
data "kuma_proxies" "expiring" {
  mesh           = "m"
  expires_within = "24h"
}
output "certificates" { value = data.kuma_proxies.all.certificates }
output "expiring" { value = data.kuma_proxies.expiring.certificates.expiring }
output "versions" { value = data.kuma_proxies.all.versions }
`})
	c.must(t, "apply", "-auto-approve")
	got := c.outputs(t)
	counts := map[string]any{"online": 3.0, "partially_degraded": 1.0, "offline": 2.0, "unknown": 0.0}
	features := []any{"feature-delta-grpc", "feature-otel-via-kuma-dp", "feature-reuse-port", "feature-strict-inbound-ports", "feature-unified-resource-naming"}
	want := map[string]any{
		"names": []any{"nack", "gone", "never", "two", "slow", "web"}, "offline": map[string]any{"gone": "2026-11-23T13:17:44Z", "never": nil},
		"counts": []any{counts, counts}, "two": []any{"other"},
		"nack": map[string]any{
			"type": "Dataplane", "mesh": "m", "name": "nack", "zone": "zone-1", "status": "online", "connected": true, "since": "2026-11-23T13:17:29Z",
			"control_plane_instance": "cp-1", "kuma_dp_version": "2.14.3", "envoy_version": "1.36.0", "version_supported": true,
			"features": features, "missing_kuma3_features": []any{}, "unready_inbounds": []any{}, "owns_dataplane": false,
			"responses": map[string]any{"sent": 5.0, "acknowledged": 4.0, "rejected": 1.0, "pending": 0.0, "rejected_types": []any{"lds"}, "updated": "2026-11-23T13:17:45Z"},
			"certificate": map[string]any{
				"issuer": "kri_mid_m_zone-1__identity_", "expires": "2026-11-24T13:17:34Z", "regenerations": 1.0,
				"last_regeneration": "2026-11-23T13:17:34Z", "supported_backends": []any{"kri_mtrust_m___identity_"},
			},
		},
		"never": map[string]any{
			"type": "Dataplane", "mesh": "m", "name": "never", "zone": "zone-1", "status": "offline", "connected": false, "since": nil,
			"control_plane_instance": nil, "kuma_dp_version": nil, "envoy_version": nil, "version_supported": nil,
			"features": []any{}, "missing_kuma3_features": nil, "unready_inbounds": []any{}, "owns_dataplane": false, "responses": nil, "certificate": nil,
		},
		"certificates": map[string]any{
			"issuers": map[string]any{"kri_mid_m_zone-1__identity_": 4.0}, "without": []any{}, "without_count": 0.0,
			"expiring": []any{}, "expiring_count": 0.0, "first_expiry": "2026-11-24T13:17:33Z", "ready": true,
		},
		"expiring": []any{"nack", "slow", "two", "web"},
		"versions": []any{map[string]any{"kuma_dp": "2.14.3", "envoy": "1.36.0", "supported": true, "count": 4.0}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestProxiesOfLargeMesh shows that the requests and the state do not grow with each
// proxy.
func TestProxiesOfLargeMesh(t *testing.T) {
	t.Parallel()
	needCLI(t)
	const proxies = 10_000
	server := overviewServer{}
	recorded := recordedOverviews(t)
	for i := range proxies {
		o := maps.Clone(recorded[i%len(recorded)].(map[string]any))
		o["name"] = fmt.Sprintf("p%d", i)
		server.overviews = append(server.overviews, o)
	}
	c := newCLI(t, map[string]string{"main.tf": requiredProvider + server.start(t, nil) + `
data "kuma_proxies" "all" {
  mesh = "m"
}
output "omitted" { value = data.kuma_proxies.all.proxies_omitted }
output "summary" { value = data.kuma_proxies.all.summary }
`})
	begin := time.Now()
	c.must(t, "apply", "-auto-approve")
	got := c.outputs(t)
	state, err := os.Stat(filepath.Join(c.dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d proxies: %d requests, %.1f s, %d bytes of state\n%s", proxies, server.requests.Load(), time.Since(begin).Seconds(), state.Size(), got["summary"])
	if n := server.requests.Load(); n != 10 || state.Size() > 200_000 || got["omitted"] != 9900.0 {
		t.Errorf("%d requests, %d bytes of state, %v proxies omitted", n, state.Size(), got["omitted"])
	}
	if !strings.HasPrefix(fmt.Sprint(got["summary"]), "10000 proxies: 5000 online, 1666 partially degraded, 3334 offline.\n") {
		t.Errorf("the summary is\n%s", got["summary"])
	}
}

func TestProxiesOfMissingMesh(t *testing.T) {
	t.Parallel()
	needCLI(t)
	cp := newTestControlPlane(t)
	c := newCLI(t, map[string]string{"main.tf": requiredProvider + cp.config + `
data "kuma_proxies" "all" {
  mesh = "missing"
}
`})
	if out, code := c.run(t, "plan"); code == 0 || !strings.Contains(out, "Mesh not found") || !strings.Contains(out, `has no mesh "missing"`) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
