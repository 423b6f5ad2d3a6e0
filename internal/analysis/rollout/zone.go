package rollout

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ReadZone reads the overview of a zone: its name, and whether its control plane is connected
// to the global one. It reports values of the wrong form.
func ReadZone(overview map[string]any) (name string, connected bool, err error) {
	r := reader{}
	name = tree.Text(overview["name"])
	if s, ok := r.lastSubscription(tree.Object(overview["zoneInsight"])); ok {
		connected = r.time(s, "disconnectTime").IsZero()
	}
	if r.err != nil {
		return name, connected, fmt.Errorf("the overview of Zone %q: %w", name, r.err)
	}
	return name, connected, nil
}

// InOfflineZone returns a proxy whose zone is not connected to the global control plane: all
// that is known about the proxy is what the zone has sent last (rest-api.md §17.1).
func (p Proxy) InOfflineZone() Proxy {
	p.ZoneOffline, p.Status = true, Unknown
	return p
}

// OfflineZones returns the names of the zones of proxies that are not connected, sorted.
func OfflineZones(proxies []Proxy) []string {
	var zones []string
	for _, p := range proxies {
		if p.ZoneOffline {
			zones = append(zones, p.Zone)
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}
