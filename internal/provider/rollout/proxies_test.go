package rollout_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestProxiesOfRecordedControlPlane(t *testing.T) {
	t.Parallel()
	server := providertest.OverviewServer{Overviews: providertest.RecordedOverviews(t), Date: "Mon, 23 Nov 2026 13:18:00 GMT"}
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, nil) + `
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
	c.Must(t, "apply", "-auto-approve")
	got := c.Outputs(t)
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
	testworld.Equal(t, "result", want, got)
}

// TestProxiesOfLargeMesh shows that the requests and the state do not grow with each
// proxy.
func TestProxiesOfLargeMesh(t *testing.T) {
	t.Parallel()
	const proxies = 10_000
	server := providertest.OverviewServer{}
	recorded := providertest.RecordedOverviews(t)
	for i := range proxies {
		o := maps.Clone(recorded[i%len(recorded)].(map[string]any))
		o["name"] = fmt.Sprintf("p%d", i)
		server.Overviews = append(server.Overviews, o)
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, nil) + `
data "kuma_proxies" "all" {
  mesh = "m"
}
output "omitted" { value = data.kuma_proxies.all.proxies_omitted }
output "summary" { value = data.kuma_proxies.all.summary }
`})
	begin := time.Now()
	c.Must(t, "apply", "-auto-approve")
	got := c.Outputs(t)
	state, err := os.Stat(filepath.Join(c.Dir, "terraform.tfstate"))
	testworld.NoError(t, err)
	t.Logf("%d proxies: %d requests, %.1f s, %d bytes of state\n%s", proxies, server.Requests.Load(), time.Since(begin).Seconds(), state.Size(), got["summary"])
	if n := server.Requests.Load(); n != 10 || state.Size() > 200_000 || got["omitted"] != 9900.0 {
		t.Errorf("%d requests, %d bytes of state, %v proxies omitted", n, state.Size(), got["omitted"])
	}
	if !strings.HasPrefix(fmt.Sprint(got["summary"]), "10000 proxies: 5000 online, 1666 partially degraded, 3334 offline.\n") {
		t.Errorf("the summary is\n%s", got["summary"])
	}
}

func TestProxiesOfMissingMesh(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, "data \"kuma_proxies\" \"all\" {\n  %s\n}\n", map[string]providertest.Mistake{
		"missing": {`mesh = "missing"`, `Mesh not found .* has no mesh "missing"`},
	})
}
