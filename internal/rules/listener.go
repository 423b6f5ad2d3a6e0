package rules

import (
	"cmp"
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Listener is a listener of a MeshGateway on a builtin gateway. Others can have the same port
// and another host name.
type Listener struct {
	Gateway   kuma.Key // the MeshGateway
	Port      int
	Hostname  string // a name, a wildcard such as *.example.com, or * for all
	Protocol  string // as the MeshGateway has it: HTTP, HTTPS, TCP or TLS
	CrossMesh bool   // it serves other meshes

	index int
	tags  string
}

// Protocols of listeners of a MeshGateway.
const (
	listenerHTTP  = "HTTP"
	listenerHTTPS = "HTTPS"
	listenerTLS   = "TLS"
)

// IsHTTP reports whether the listener has routes for requests, and not for connections.
func (l Listener) IsHTTP() bool { return l.Protocol == listenerHTTP || l.Protocol == listenerHTTPS }

// IsEncrypted reports whether the listener is chosen by the name that a client asks for with TLS.
func (l Listener) IsEncrypted() bool {
	return l.Protocol == listenerHTTPS || l.Protocol == listenerTLS
}

// SharesClusters reports whether two listeners of a gateway, which have the same tags, use the
// same clusters for equal backends (matching.md §18.4).
func (l Listener) SharesClusters(o Listener) bool { return l.tags == o.tags }

// Listeners returns the listeners of a Dataplane, in the order of its MeshGateway: none unless
// it is a builtin gateway that a MeshGateway selects (matching.md §2.5).
func (s *Snapshot) Listeners(meshName, dataplane string) []Listener {
	_, dp, err := s.find(meshName, dataplane)
	if err != nil {
		return nil
	}
	return dp.ownListeners()
}

// ownListeners returns the listeners of a builtin gateway that a MeshGateway selects.
func (dp *proxy) ownListeners() []Listener {
	if dp.gateway != builtinGateway || dp.meshGateway == nil {
		return nil
	}
	var all []Listener
	for i, n := range tree.Root(dp.meshGateway.Body).Get("conf", "listeners").Items() {
		text := func(field string) string { s, _ := n.Get(field).Text(); return s }
		all = append(all, Listener{
			Gateway: dp.meshGateway.Key(), Port: dp.listeners[i].at.port, Hostname: cmp.Or(text("hostname"), wildcard),
			Protocol: text("protocol"), CrossMesh: n.Get("crossMesh").True(), index: i, tags: phrase.Pairs(dp.listeners[i].tags),
		})
	}
	return all
}

// String names the listener for people.
func (l Listener) String() string {
	if l.Hostname == wildcard {
		return fmt.Sprintf("port %d of MeshGateway %q", l.Port, l.Gateway.Name)
	}
	return fmt.Sprintf("%s, port %d of MeshGateway %q", l.Hostname, l.Port, l.Gateway.Name)
}
