// Package envoy evaluates what a proxy does with connections and requests, on the
// configuration of the proxy alone, as Envoy documents it. No Envoy runs, and the
// package shares no code with the matching engine, which is compared with it.
//
//	config, err := envoy.Parse(xds)
//	…
//	outcomes, err := config.Send(envoy.Request{Host: "backend.mesh", Port: 80, Method: "GET", Path: "/v2"})
//
// It evaluates what control planes of Kuma generate. Anything else that could affect
// the result is an error, so that an answer is never a guess.
package envoy

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	endpoint "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	listener "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	tls "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// Types of the resources of a configuration.
const (
	Clusters  = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
	Endpoints = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
	Listeners = "type.googleapis.com/envoy.config.listener.v3.Listener"
	Routes    = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration"
	Secrets   = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret"
)

// ErrUnsupported reports configuration that the package does not evaluate.
var ErrUnsupported = errors.New("not supported")

// runtime is the type of limits of gateways, which do not affect single requests.
const runtime = "type.googleapis.com/envoy.service.runtime.v3.Runtime"

// Config is the configuration of a proxy: its resources by name.
type Config struct {
	Listeners map[string]*listener.Listener
	Clusters  map[string]*cluster.Cluster
	Endpoints map[string]*endpoint.ClusterLoadAssignment
	Routes    map[string]*route.RouteConfiguration
	Secrets   map[string]*tls.Secret // only those that a proxy has received
}

func newConfig() *Config {
	return &Config{
		Listeners: map[string]*listener.Listener{},
		Clusters:  map[string]*cluster.Cluster{},
		Endpoints: map[string]*endpoint.ClusterLoadAssignment{},
		Routes:    map[string]*route.RouteConfiguration{},
		Secrets:   map[string]*tls.Secret{},
	}
}

// add adds a resource of a type, which decode reads.
func (c *Config) add(typeURL, name string, decode func(proto.Message) error) error {
	var m proto.Message
	switch typeURL {
	case Listeners:
		c.Listeners[name] = &listener.Listener{}
		m = c.Listeners[name]
	case Clusters:
		c.Clusters[name] = &cluster.Cluster{}
		m = c.Clusters[name]
	case Endpoints:
		c.Endpoints[name] = &endpoint.ClusterLoadAssignment{}
		m = c.Endpoints[name]
	case Routes:
		c.Routes[name] = &route.RouteConfiguration{}
		m = c.Routes[name]
	case Secrets:
		c.Secrets[name] = &tls.Secret{}
		m = c.Secrets[name]
	default:
		return fmt.Errorf("%s: %w", typeURL, ErrUnsupported)
	}
	if err := decode(m); err != nil {
		return fmt.Errorf("%s %q: %w", m.ProtoReflect().Descriptor().Name(), name, err)
	}
	return nil
}

// Parse reads resources in the form of JSON by type and name, as the control plane
// answers them. A field or a type that Envoy does not have is an error.
func Parse(xds map[string]any) (*Config, error) {
	c := newConfig()
	for _, typeURL := range slices.Sorted(maps.Keys(xds)) {
		if typeURL == runtime {
			continue
		}
		resources, ok := xds[typeURL].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: not an object", typeURL)
		}
		for name, resource := range resources {
			data, err := json.Marshal(resource)
			if err == nil {
				err = c.add(typeURL, name, func(m proto.Message) error { return protojson.Unmarshal(data, m) })
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// Decode reads resources by type and name.
func Decode(resources map[string]map[string]*anypb.Any) (*Config, error) {
	c := newConfig()
	for typeURL, byName := range resources {
		for name, resource := range byName {
			if err := c.add(typeURL, name, resource.UnmarshalTo); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}
