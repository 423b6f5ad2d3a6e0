package request

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// FrozenByPassthrough returns what keeps a transparent proxy from getting its configuration: two
// destinations of its MeshPassthrough policies with different protocols of HTTP on one port, or
// both without a port (measured with `_config` on 2.14.3 and the preview of 3.0). It returns nil if
// there are none. The error is one of package rules.
func (sim Simulation) FrozenByPassthrough(mesh, dataplane string) (*FrozenGateway, error) {
	policies, err := sim.snapshot.Outline(mesh, dataplane, kinds.MeshPassthrough.Name)
	rule := policies.ProxyRule
	dp := sim.snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: mesh, Name: dataplane})
	if err != nil || rule == nil || !rules.IsTransparent(dp) {
		return nil, err
	}
	if mode, _ := tree.Root(rule.Conf).Get("passthroughMode").Text(); mode != "" && mode != kinds.PassthroughMatched {
		return nil, nil
	}
	type use struct {
		policy   kuma.Key
		protocol string
	}
	first := map[int64]use{} // by port, zero for none
	for e := range rule.Entries() {
		for _, match := range tree.Root(sim.snapshot.Resource(e.Policy).Document()).Get("spec", "default", "appendMatch").Items() {
			port, _ := match.Get("port").Int()
			protocol, _ := match.Get("protocol").Text()
			if !slices.Contains(kuma.HTTPProtocols(), protocol) {
				continue
			}
			switch other, taken := first[port]; {
			case !taken:
				first[port] = use{e.Policy, protocol}
			case other.protocol != protocol:
				on := "without a port"
				if port != 0 {
					on = fmt.Sprintf("on port %d", port)
				}
				reason := fmt.Sprintf("it matches %s %s, and %s matches %s there", protocol, on, other.policy.Local(), other.protocol)
				return &FrozenGateway{e.Policy, match.Path, reason, "Use the same protocol in both, or different ports."}, nil
			}
		}
	}
	return nil, nil
}
