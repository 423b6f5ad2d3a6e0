package command

import (
	"context"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	running "github.com/kuma-universal/terraform-provider-kuma/internal/provider/rollout"
)

// runningProxy is a proxy as JSON.
type runningProxy struct {
	Name      string   `json:"name"`
	Zone      string   `json:"zone"`
	Status    string   `json:"status"`
	Connected bool     `json:"connected"`
	KumaDP    string   `json:"kuma_dp_version"`
	Envoy     string   `json:"envoy_version"`
	Rejected  int      `json:"rejected"` // configurations, since the proxy connected
	Pending   int      `json:"pending"`  // configurations that it has not answered
	Missing   []string `json:"missing_kuma3_features"`
}

// runningProxies are those of a mesh, those that need attention first.
type runningProxies struct {
	Proxies []runningProxy `json:"proxies"`
	Summary string         `json:"summary"`
}

func runProxies(ctx context.Context, version string, arguments []string, s streams) (int, error) { //nolint:unparam // called like the others
	o := newOptions("proxies", "", s)
	expires := o.Duration("expires-within", time.Hour, "`duration` in which a certificate expires soon")
	from := o.source(s)
	if _, err := o.parse(arguments, 0, 0); err != nil {
		return 0, err
	}
	base, err := from.controlPlane(ctx, version, o)
	if err != nil {
		return 0, err
	}
	names, err := base.selected(ctx, o)
	if err != nil {
		return 0, err
	}
	var all answers
	for _, mesh := range names {
		now, err := running.ReadMesh(ctx, base.store, mesh)
		if err != nil {
			return 0, err
		}
		rollout.WorstFirst(now.Proxies)
		found := runningProxies{Summary: rollout.Summary(now.Proxies, rollout.ReadCertificates(now.Proxies, now.At, *expires))}
		for _, p := range now.Proxies {
			n := p.Responses.Total
			found.Proxies = append(found.Proxies, runningProxy{p.Name, p.Zone, string(p.Status), p.Connected, p.KumaDP, p.Envoy, int(n.Rejected), int(n.Pending()), p.Required3()})
		}
		all.add(mesh, found, "Mesh "+mesh+": "+found.Summary)
	}
	return all.write(o, s.out)
}
