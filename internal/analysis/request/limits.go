package request

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// findNotConsidered lists what can affect the request and is not evaluated.
func (s *sending) findNotConsidered() {
	if s.SPIFFEID != "" {
		s.restOfClient()
	} else {
		s.ofClient()
	}
	for _, b := range s.Backends {
		for _, p := range b.Proxies {
			s.patches(p.Dataplane)
		}
	}
	if found := s.proxies.Older(kinds.OlderSettings); len(found) > 0 {
		s.NotConsidered = append(s.NotConsidered, proxy.NameOlder(found))
	}
}

// effects describe what the policies of some kinds, which are not evaluated, can do.
var effects = []struct{ kind, effect string }{
	{meshLoadBalancingStrategy, "can send requests to particular proxies of a service"},
	{kinds.MeshHealthCheck.Name, "can exclude proxies that fail checks"},
	{kinds.MeshCircuitBreaker.Name, "can reject requests, and exclude proxies that fail"},
	{kinds.MeshProxyPatch.Name, "can change any setting of a proxy"},
}

// explainNotConsidered says what is not evaluated, and what it could change.
func (s *sending) explainNotConsidered() {
	rest := slices.Clone(s.NotConsidered)
	for _, e := range effects {
		var found []string
		rest = slices.DeleteFunc(rest, func(text string) bool {
			is := strings.HasPrefix(text, e.kind+" ")
			if is {
				found = append(found, text)
			}
			return is
		})
		if len(found) > 0 {
			s.say("Not considered: %s, which %s", phrase.Some(found, maxNames, ""), e.effect)
		}
	}
	older := proxy.NameOlder(s.proxies.Older(kinds.OlderSettings))
	for _, text := range rest {
		if text == older {
			text += ", because this provider does not evaluate older kinds"
		}
		s.say("Not considered: %s", text)
	}
}

// unevaluated are the kinds of policies whose settings for outgoing traffic are not evaluated.
var unevaluated = []string{meshLoadBalancingStrategy, kinds.MeshHealthCheck.Name, kinds.MeshCircuitBreaker.Name}

// ofClient lists the policies for the proxy of the client that are not evaluated.
func (s *sending) ofClient() {
	s.patches(s.Dataplane)
	for _, b := range s.Backends {
		for _, kind := range unevaluated {
			found, ok := s.lookup(kind, destinationOf(b.Port, b.Tags, b.Port.Section))
			if ok && b.Port.Resource != (kuma.ID{}) {
				s.notConsidered(found.Entries())
			}
		}
	}
}

// patches lists what changes the configuration of a proxy in any way.
func (s *sending) patches(dataplane string) {
	if found := s.policies(kinds.MeshProxyPatch.Name, dataplane); found.ProxyRule != nil {
		s.notConsidered(found.ProxyRule.Entries())
	}
}

func (s *sending) notConsidered(entries iter.Seq[rules.Entry]) {
	for e := range entries {
		if text := e.Policy.Local(); !slices.Contains(s.NotConsidered, text) {
			s.NotConsidered = append(s.NotConsidered, text)
		}
	}
}

// findSharedCluster reports another inbound with the same port: before Kuma 3.0, proxies connect
// to both in the same way unless the mesh is Exclusive, and it is not known whose timeouts
// apply (proxies.md §4).
func (s *sending) findSharedCluster(e proxy.Endpoint, from peer, own Timeouts) {
	if s.isKuma3() || s.snapshot.Exclusive(s.Mesh) {
		return
	}
	for _, in := range tree.Root(e.Resource.Body).Get("networking", "inbound").Items() {
		other := proxy.NewEndpoint(e.Resource, in)
		if other.Port != e.Port || other.Inbound == e.Inbound {
			continue
		}
		times := s.incomingTimeouts(other, from)
		if times.Connect.Duration != own.Connect.Duration || times.Idle.Duration != own.Idle.Duration {
			text := fmt.Sprintf("the other inbound on port %d of Dataplane %q, which may decide about timeouts of connections", e.Port,
				e.Dataplane)
			if !slices.Contains(s.NotConsidered, text) {
				s.NotConsidered = append(s.NotConsidered, text)
			}
			return
		}
	}
}
