// Package proxies connects to the data plane server of a control plane as proxies
// do, so that the control plane generates their Envoy configuration. Neither
// kuma-dp nor Envoy runs. Its tests compare the engine with that configuration.
// It is a module of its own, because the provider must not depend on the types of
// the configuration.
//
//	p, err := proxies.Connect(ctx, site, "shop", "web-1")
//	…
//	defer p.Close()
//	config, err := p.Config(ctx)
package proxies

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Types of resources that a proxy subscribes to.
const (
	clusters  = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
	listeners = "type.googleapis.com/envoy.config.listener.v3.Listener"
)

// Proxy is a connected proxy. It acknowledges every configuration. Close it.
type Proxy struct {
	site            *oracle.Site
	mesh, dataplane string
	conn            *grpc.ClientConn
	cancel          context.CancelFunc
	done            chan struct{}
	err             error // why the stream ended; valid when done is closed
}

// Connect connects the proxy of a Dataplane, which must exist, and returns when it
// has received its first listeners or ctx ends.
func Connect(ctx context.Context, s *oracle.Site, mesh, dataplane string) (*Proxy, error) {
	token, err := s.Client.IssueToken(ctx, controlplane.DataplaneToken{Mesh: mesh, Name: dataplane, ValidFor: "1h"})
	if err != nil {
		return nil, err
	}
	// The certificate is the one that the control plane generated for itself.
	transport := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}) //nolint:gosec // a test on this host
	conn, err := grpc.NewClient(s.DataplaneServer(), grpc.WithTransportCredentials(transport))
	if err != nil {
		return nil, err
	}
	streaming, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &Proxy{site: s, mesh: mesh, dataplane: dataplane, conn: conn, cancel: cancel, done: make(chan struct{})}
	configured := make(chan struct{})
	go func() {
		defer close(p.done)
		p.err = p.subscribe(metadata.AppendToOutgoingContext(streaming, "authorization", token), configured)
	}()
	select {
	case <-configured:
		return p, nil
	case <-p.done:
		err = p.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, errors.Join(fmt.Errorf("proxy %s of mesh %s: %w", dataplane, mesh, err), p.Close())
}

// subscribe acknowledges all configurations until the stream ends. It closes
// configured after the first listeners.
func (p *Proxy) subscribe(ctx context.Context, configured chan struct{}) error {
	stream, err := discovery.NewAggregatedDiscoveryServiceClient(p.conn).DeltaAggregatedResources(ctx)
	if err != nil {
		return err
	}
	node, err := p.node()
	if err != nil {
		return err
	}
	for _, typeURL := range []string{clusters, listeners} {
		if err := stream.Send(&discovery.DeltaDiscoveryRequest{Node: node, TypeUrl: typeURL}); err != nil {
			return err
		}
	}
	for {
		response, err := stream.Recv()
		if err != nil {
			return err
		}
		if response.GetTypeUrl() == listeners && configured != nil {
			close(configured)
			configured = nil
		}
		ack := &discovery.DeltaDiscoveryRequest{TypeUrl: response.GetTypeUrl(), ResponseNonce: response.GetNonce()}
		if err := stream.Send(ack); err != nil {
			return err
		}
	}
}

// node describes the proxy as kuma-dp does.
func (p *Proxy) node() (*core.Node, error) {
	features := []any{"feature-delta-grpc", "feature-reuse-port", "feature-strict-inbound-ports", "feature-unified-resource-naming"}
	meta, err := structpb.NewStruct(map[string]any{
		"dataplane.proxyType":              "dataplane",
		"dataplane.admin.port":             "9901",
		"dataplane.readinessReporter.port": "9902", // nothing is generated without it
		"dataplane.dns.port":               "15053",
		"workdir":                          "/tmp",
		"features":                         features,
		"version": map[string]any{
			"kumaDp": map[string]any{"version": "2.14.3", "gitTag": "", "gitCommit": "", "buildDate": ""},
			"envoy":  map[string]any{"version": "1.36.0", "build": ""},
		},
	})
	return &core.Node{Id: p.mesh + "." + p.dataplane, Cluster: p.dataplane, Metadata: meta}, err
}

// Config returns the configuration that the control plane would send to the
// proxy now: the resources by type and name.
func (p *Proxy) Config(ctx context.Context) (map[string]any, error) {
	answer, err := p.site.Inspect(ctx, p.mesh, p.dataplane, "_config")
	return tree.Object(tree.Object(answer)["xds"]), err
}

// Close disconnects the proxy. It may be called more than once.
func (p *Proxy) Close() error {
	p.cancel()
	<-p.done
	return p.conn.Close()
}
