package request

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Resources of older kinds are not evaluated. This file finds the answers that depend on them
// (proxies.md §6).

// isRouted reports whether resources of older kinds decide where the request goes, and answers
// it if so.
func (s *sending) isRouted(reached bool) bool {
	switch {
	case s.SPIFFEID != "" || s.Verdict == Unknown:
		return false
	case s.isBuiltinGateway():
		if routes := s.proxies.Older(kinds.OlderGatewayRoutes); len(routes) > 0 &&
			(reached || s.Verdict == NoRoute || s.Verdict == Unreachable && s.Service.Host != "") {
			return !s.unknown("Where the gateway sends the request is not known: %s.", &proxy.OlderError{Resources: routes})
		}
	case reached:
		if err := s.proxies.Routed(s.Dataplane, s.Tags != nil); err != nil {
			return !s.unknown("Where the proxy of the client sends the request is not known: %s.", err)
		}
	case s.Service.Host != "" && (s.Verdict == Unreachable || s.Verdict == Passthrough) && proxy.IsTransparent(s.proxy()):
		if names := s.proxies.Older(kinds.OlderDestinations); len(names) > 0 { // which have host names
			return !s.unknown("Whether the host is one of a service is not known: %s.", &proxy.OlderError{Resources: names})
		}
	}
	return false
}

// provided returns the ExternalServices with some tags.
func (s *sending) provided(tags map[string]string) []kuma.Key {
	return slices.DeleteFunc(s.proxies.Older(kinds.OlderDestinations), func(key kuma.Key) bool {
		own := tree.StringMap(s.snapshot.Resource(key).Body["tags"])
		return key.Type != kinds.ExternalService || own[kuma.TagService] != tags[kuma.TagService]
	})
}

// providedBy says that resources of older kinds provide the service.
func providedBy(older []kuma.Key) string {
	return fmt.Sprintf("%s %s the service, which this provider does not evaluate.", proxy.NameOlder(older),
		phrase.Form(len(older), "provides", "provide"))
}

// frozenByExternalServices finds a service that the proxy reaches by its tag, and some of whose ExternalServices have an IP address, and
// others a host name (proxies.md §6). With routing.zoneEgress, requests leave through a ZoneEgress, which is not evaluated.
func (s *sending) frozenByExternalServices() *Frozen {
	all := s.snapshot.Resources(s.Mesh, kinds.ExternalService)
	if s.proxies.HasExits() || len(all) == 0 {
		return nil
	}
	used := map[string]bool{}
	listeners, _ := s.listeners()
	for _, l := range listeners {
		for _, t := range s.on(l).targetsOfListener() {
			used[t.tags[kuma.TagService]] = true
		}
	}
	listed := tree.Strings(tree.Root(s.proxy().Body).Get("networking", "transparentProxying", "reachableServices").Value())
	virtual := s.proxies.Outbounds(s.Dataplane).Transparent && !s.snapshot.Exclusive(s.Mesh) && !s.proxies.IsZoneProxy(s.Dataplane)
	first := map[string][2]*kuma.Resource{} // by service: with an IP address, and with a host name
	for _, r := range all {
		body := tree.Root(r.Body)
		service, address := text(body.Get("tags", kuma.TagService)), text(body.Get("networking", "address"))
		hasAddress := virtual && (listed == nil || slices.Contains(listed, service))
		if service == "" || !used[service] && !hasAddress {
			continue
		}
		pair, i := first[service], 0
		if _, err := netip.ParseAddrPort(address); err != nil {
			i = 1
		}
		pair[i] = r
		if first[service] = pair; pair[0] != nil && pair[1] != nil {
			reason := fmt.Sprintf("%s has an IP address, and %s of the same service has a host name", pair[0].Key().Local(), pair[1].Key().Local())
			return &Frozen{pair[0].Key(), tree.Path{"networking", "address"}, reason, "Use host names only, or IP addresses only."}
		}
	}
	return nil
}
