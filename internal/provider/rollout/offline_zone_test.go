package rollout_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// globalServer is a global control plane with the proxies of the zones east, which is connected,
// and west, which is not.
type globalServer struct{ providertest.OverviewServer }

func (s *globalServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const subscription = `{"connectTime": "2026-11-23T13:00:00Z"%s}`
	zone := func(name, end string) string {
		return fmt.Sprintf(`{"type": "ZoneOverview", "name": %q, "zone": {}, "zoneInsight": {"subscriptions": [`+subscription+`]}}`, name, end)
	}
	switch r.URL.Path {
	case "/config":
		_, _ = fmt.Fprint(w, `{"mode": "global", "environment": "universal"}`)
	case "/zones/_overview":
		_, _ = fmt.Fprintf(w, `{"total": 3, "next": null, "items": [%s, %s, %s]}`, zone("east", ""), zone("unused", `, "disconnectTime": "2026-11-23T13:01:00Z"`), zone("west", `, "disconnectTime": "2026-11-23T13:02:00Z"`))
	case "/zoneingresses/_overview":
		_, _ = fmt.Fprintf(w, `{"total": 1, "next": null, "items": [{"name": "ingress", "zoneIngress": {"zone": "west"}, "zoneIngressInsight": {"subscriptions": [`+subscription+`]}}]}`, "")
	case "/zoneegresses/_overview":
		_, _ = fmt.Fprint(w, `{"total": 0, "next": null, "items": []}`)
	default:
		s.OverviewServer.ServeHTTP(w, r)
	}
}

// TestProxiesOfOfflineZone reads proxies from a global control plane, which shows those of a
// zone that has stopped as online.
func TestProxiesOfOfflineZone(t *testing.T) {
	t.Parallel()
	server := &globalServer{}
	zones := map[string]string{"web": "west", "slow": "east"}
	for _, o := range providertest.RecordedOverviews(t) {
		proxy := tree.Object(o)
		if zone := zones[tree.Text(proxy["name"])]; zone != "" {
			proxy["labels"] = map[string]any{kuma.LabelZone: zone}
			server.Overviews = append(server.Overviews, proxy)
		}
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, server) + `
resource "kuma_mesh" "m" {
  name = "m"
}
locals {
  mesh = kuma_mesh.m.name
}
data "kuma_proxies" "m" {
  mesh         = local.mesh
  zone_proxies = true
  depends_on   = [kuma_mesh.m]
}
data "kuma_rollout" "m" {
  mesh       = local.mesh
  timeout    = "1s"
  depends_on = [kuma_mesh.m]
}
output "proxies" { value = { for p in data.kuma_proxies.m.proxies : p.name => p.status } }
output "zones" { value = [data.kuma_proxies.m.zones_offline, data.kuma_rollout.m.zones_offline] }
output "ready" { value = data.kuma_proxies.m.certificates.ready }
output "rollout" { value = [data.kuma_rollout.m.complete, data.kuma_rollout.m.counts["zone_offline"]] }
`})
	c.Must(t, "apply", "-auto-approve")
	want := map[string]any{
		"proxies": map[string]any{"web": "unknown", "slow": "online", "ingress": "unknown"}, "zones": []any{[]any{"west"}, []any{"west"}},
		"ready": false, "rollout": []any{false, 1.0},
	}
	testworld.Equal(t, "result", want, c.Outputs(t))
}
