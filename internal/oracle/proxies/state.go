package proxies

import (
	"context"
	"maps"
	"slices"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
)

// Response is a response of the control plane.
type Response struct {
	Type      string                // of the resources, such as [envoy.Listeners]
	Version   string                // of all resources, or of the change
	Resources map[string]*anypb.Any // new and changed ones by name; all of them where Complete
	Removed   []string
	Complete  bool

	nonce string
}

// state is what a proxy has accepted.
type state struct {
	resources map[string]map[string]*anypb.Any // by type and name
	counts    map[string]Counts                // by type
}

func newState() state {
	return state{resources: map[string]map[string]*anypb.Any{}, counts: map[string]Counts{}}
}

// apply changes the state by a response, or only counts a rejected one.
func (s *state) apply(r Response, rejected bool) {
	n := s.counts[r.Type]
	if rejected {
		n.Rejected++
		s.counts[r.Type] = n
		return
	}
	n.Accepted++
	s.counts[r.Type] = n
	if r.Complete || s.resources[r.Type] == nil {
		s.resources[r.Type] = map[string]*anypb.Any{}
	}
	maps.Copy(s.resources[r.Type], r.Resources)
	for _, name := range r.Removed {
		delete(s.resources[r.Type], name)
	}
}

// transport is a variant of the protocol.
type transport interface {
	// subscribe asks for the resources with these names, or for all of them without
	// names if the type has never had a name.
	subscribe(typeURL string, names []string) error
	receive() (Response, error)
	answer(r Response, rejection error) error
}

// run answers all responses until the stream ends, and subscribes to what the
// accepted resources refer to.
func (p *Proxy) run(ctx context.Context, node *core.Node) error {
	t, err := p.open(ctx, node)
	if err != nil {
		return err
	}
	for _, typeURL := range []string{envoy.Clusters, envoy.Listeners} {
		if err := t.subscribe(typeURL, nil); err != nil {
			return err
		}
	}
	subscribed := map[string][]string{}
	for {
		r, err := t.receive()
		if err != nil {
			return err
		}
		var rejection error
		if p.options.Answer != nil {
			rejection = p.options.Answer(ctx, r)
		}
		if err := t.answer(r, rejection); err != nil {
			return err
		}
		references, err := p.apply(r, rejection != nil)
		if err != nil {
			return err
		}
		for typeURL, names := range references {
			if !slices.Equal(names, subscribed[typeURL]) {
				subscribed[typeURL] = names
				if err := t.subscribe(typeURL, names); err != nil {
					return err
				}
			}
		}
	}
}

// apply changes the state by a response, and returns the names of the resources to
// which the proxy then refers, by type; nil if they are the same as before.
func (p *Proxy) apply(r Response, rejected bool) (map[string][]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.apply(r, rejected)
	close(p.changed)
	p.changed = make(chan struct{})
	if rejected || r.Type != envoy.Clusters && r.Type != envoy.Listeners {
		return nil, nil
	}
	return envoy.References(p.state.resources)
}

func (p *Proxy) open(ctx context.Context, node *core.Node) (transport, error) {
	client := discovery.NewAggregatedDiscoveryServiceClient(p.conn)
	if p.options.StateOfTheWorld {
		stream, err := client.StreamAggregatedResources(ctx)
		return &stateOfTheWorld{stream: stream, node: node, types: map[string]*subscription{}}, err
	}
	stream, err := client.DeltaAggregatedResources(ctx)
	return &delta{stream: stream, node: node, names: map[string][]string{}}, err
}
