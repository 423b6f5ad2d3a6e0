package proxies

import (
	"fmt"
	"slices"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
)

// rejected returns the detail with which a response is rejected, nil if it is not.
func rejected(reason error) *status.Status {
	if reason == nil {
		return nil
	}
	return &status.Status{Code: int32(codes.InvalidArgument), Message: reason.Error()}
}

// delta is the variant in which a response lists what changes.
type delta struct {
	stream discovery.AggregatedDiscoveryService_DeltaAggregatedResourcesClient
	node   *core.Node // for the first request
	names  map[string][]string
}

func (d *delta) send(r *discovery.DeltaDiscoveryRequest) error {
	r.Node, d.node = d.node, nil
	return d.stream.Send(r)
}

func (d *delta) subscribe(typeURL string, names []string) error {
	without := func(list, others []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(others, name) })
	}
	before := d.names[typeURL]
	d.names[typeURL] = names
	return d.send(&discovery.DeltaDiscoveryRequest{
		TypeUrl:                  typeURL,
		ResourceNamesSubscribe:   without(names, before),
		ResourceNamesUnsubscribe: without(before, names),
	})
}

func (d *delta) receive() (Response, error) {
	received, err := d.stream.Recv()
	if err != nil {
		return Response{}, err
	}
	r := Response{
		Type: received.GetTypeUrl(), Version: received.GetSystemVersionInfo(), nonce: received.GetNonce(),
		Resources: map[string]*anypb.Any{}, Removed: received.GetRemovedResources(),
	}
	for _, resource := range received.GetResources() {
		r.Resources[resource.GetName()] = resource.GetResource()
	}
	return r, nil
}

func (d *delta) answer(r Response, rejection error) error {
	return d.send(&discovery.DeltaDiscoveryRequest{TypeUrl: r.Type, ResponseNonce: r.nonce, ErrorDetail: rejected(rejection)})
}

// stateOfTheWorld is the variant in which a response lists all resources.
type stateOfTheWorld struct {
	stream discovery.AggregatedDiscoveryService_StreamAggregatedResourcesClient
	node   *core.Node // for the first request
	types  map[string]*subscription
}

// subscription is what requests for a type repeat.
type subscription struct {
	names   []string
	version string // that was accepted last
	nonce   string
}

func (s *stateOfTheWorld) send(typeURL string, rejection error) error {
	of := s.types[typeURL]
	r := &discovery.DiscoveryRequest{
		Node: s.node, TypeUrl: typeURL, ResourceNames: of.names,
		VersionInfo: of.version, ResponseNonce: of.nonce, ErrorDetail: rejected(rejection),
	}
	s.node = nil
	return s.stream.Send(r)
}

func (s *stateOfTheWorld) subscribe(typeURL string, names []string) error {
	if s.types[typeURL] == nil {
		s.types[typeURL] = &subscription{}
	}
	s.types[typeURL].names = names
	return s.send(typeURL, nil)
}

func (s *stateOfTheWorld) receive() (Response, error) {
	received, err := s.stream.Recv()
	if err != nil {
		return Response{}, err
	}
	r := Response{
		Type: received.GetTypeUrl(), Version: received.GetVersionInfo(), nonce: received.GetNonce(),
		Resources: map[string]*anypb.Any{}, Complete: received.GetTypeUrl() == envoy.Clusters || received.GetTypeUrl() == envoy.Listeners,
	}
	for _, resource := range received.GetResources() {
		name, err := envoy.Name(resource)
		if err != nil {
			return Response{}, fmt.Errorf("a resource of type %s: %w", r.Type, err)
		}
		r.Resources[name] = resource
	}
	return r, nil
}

func (s *stateOfTheWorld) answer(r Response, rejection error) error {
	of := s.types[r.Type]
	of.nonce = r.nonce
	if rejection == nil {
		of.version = r.Version
	}
	return s.send(r.Type, rejection)
}
