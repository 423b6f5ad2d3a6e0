package request

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Kinds returns the kinds that a snapshot must contain: those of package rules, and those for
// zone egresses and host names.
func Kinds() []def.Kind {
	return append(rules.Kinds(), kinds.ZoneEgress, kinds.HostnameGenerator)
}

// leave sets what happens to requests for a MeshExternalService, which leave the mesh through
// a zone egress (matching.md §17.8).
func (s *sending) leave(b *Backend) error {
	for _, e := range s.egresses() {
		p, _, err := s.admit(b.Port, e)
		if err != nil {
			return err
		}
		if len(s.access.Client(p.Dataplane).Names) == 0 {
			p.Verdict, p.Reason = TLSFailed, fmt.Sprintf("The zone egress %q accepts mutual TLS only, but its Dataplane has no certificate.", p.Dataplane)
		}
		b.Proxies = append(b.Proxies, p)
	}
	older := s.snapshot.Resources("", kinds.ZoneEgress.Name)
	switch {
	case len(b.Proxies) > 0:
		b.summarize()
	case len(older) > 0:
		b.Verdict, b.Reason = Unknown, fmt.Sprintf("The request leaves through ZoneEgress %q, which is not part of the analysis. A Dataplane with a listener of type ZoneEgress is.", older[0].Name)
	default:
		b.Verdict, b.Reason = NoHealthy, "There is no zone egress, through which proxies reach a MeshExternalService."
	}
	return nil
}

// egresses returns the listeners for traffic that leaves the mesh, in the zone of the client.
func (s *sending) egresses() []endpoint {
	client := s.proxy()
	var out []endpoint
	for _, r := range s.snapshot.Resources(s.Mesh, kuma.KindDataplane) {
		for _, l := range tree.Root(r.Body).Get("networking", "listeners").Items() {
			if kind, _ := l.Get("type").Text(); kind == kuma.ListenerEgress && isReady(l) && (client == nil || rules.SameZone(*client, *r)) {
				out = append(out, endpoint{r, l})
			}
		}
	}
	return out
}
