// Package proxies connects to the data plane server of a control plane as proxies
// do, so that the control plane generates their Envoy configuration. Neither
// kuma-dp nor Envoy runs. Its tests compare the engine with that configuration.
// It is a module of its own, because the provider must not depend on the types of
// the configuration.
//
//	p, err := proxies.Connect(ctx, proxies.Options{API: cp.Endpoint, Server: cp.DataplaneServer(), Mesh: "shop", Dataplane: "web-1"})
//	…
//	defer p.Close()
//	config, err := p.Config(ctx)
package proxies

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Types of resources that a proxy subscribes to.
const (
	clusters  = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
	listeners = "type.googleapis.com/envoy.config.listener.v3.Listener"
)

// Options identify a proxy.
type Options struct {
	API       string // URL of the API of the control plane
	Server    string // host and port of its data plane server
	Mesh      string
	Dataplane string // an existing Dataplane
}

// Proxy is a connected proxy. It acknowledges every configuration. Close it.
type Proxy struct {
	options Options
	conn    *grpc.ClientConn
	cancel  context.CancelFunc
	done    chan struct{}
	err     error // why the stream ended; valid when done is closed
}

// Connect connects a proxy, and returns when it has received its first
// listeners or ctx ends.
func Connect(ctx context.Context, o Options) (*Proxy, error) {
	token, err := o.token(ctx)
	if err != nil {
		return nil, err
	}
	// The certificate is the one that the control plane generated for itself.
	transport := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}) //nolint:gosec // a test on this host
	conn, err := grpc.NewClient(o.Server, grpc.WithTransportCredentials(transport))
	if err != nil {
		return nil, err
	}
	streaming, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &Proxy{options: o, conn: conn, cancel: cancel, done: make(chan struct{})}
	configured := make(chan struct{})
	go func() {
		defer close(p.done)
		p.err = o.subscribe(metadata.AppendToOutgoingContext(streaming, "authorization", token), conn, configured)
	}()
	select {
	case <-configured:
		return p, nil
	case <-p.done:
		err = p.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, errors.Join(fmt.Errorf("proxy %s of mesh %s: %w", o.Dataplane, o.Mesh, err), p.Close())
}

// subscribe acknowledges all configurations until the stream ends. It closes
// configured after the first listeners.
func (o Options) subscribe(ctx context.Context, conn *grpc.ClientConn, configured chan struct{}) error {
	stream, err := discovery.NewAggregatedDiscoveryServiceClient(conn).DeltaAggregatedResources(ctx)
	if err != nil {
		return err
	}
	node, err := o.node()
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
func (o Options) node() (*core.Node, error) {
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
	return &core.Node{Id: o.Mesh + "." + o.Dataplane, Cluster: o.Dataplane, Metadata: meta}, err
}

// token requests a token for the proxy.
func (o Options) token(ctx context.Context) (string, error) {
	body, err := json.Marshal(map[string]string{"mesh": o.Mesh, "name": o.Dataplane, "validity": "1h"})
	if err != nil {
		return "", err
	}
	token, err := o.request(ctx, http.MethodPost, body, "tokens", "dataplane")
	return string(token), err
}

// Config returns the configuration that the control plane would send to the
// proxy now: the resources by type and name.
func (p *Proxy) Config(ctx context.Context) (map[string]any, error) {
	o := p.options
	body, err := o.request(ctx, http.MethodGet, nil, "meshes", o.Mesh, "dataplanes", o.Dataplane, "_config")
	if err != nil {
		return nil, err
	}
	document, err := tree.DecodeJSON(body)
	return tree.Object(tree.Object(document)["xds"]), err
}

// Close disconnects the proxy. It may be called more than once.
func (p *Proxy) Close() error {
	p.cancel()
	<-p.done
	return p.conn.Close()
}

// timeout limits a request to the API.
const timeout = 10 * time.Second

func (o Options) request(ctx context.Context, method string, body []byte, path ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address, err := url.JoinPath(o.API, path...)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: status %d: %s", method, address, response.StatusCode, answer)
	}
	return answer, err
}
