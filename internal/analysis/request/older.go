package request

import (
	"fmt"
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
