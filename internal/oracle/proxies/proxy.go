// Package proxies connects to the data plane server of a control plane as proxies
// do, so that the control plane generates their Envoy configuration. Neither
// kuma-dp nor Envoy runs. Package envoy evaluates requests on that configuration,
// and the tests compare the engine with it.
//
//	p, err := proxies.Connect(ctx, site, proxies.Options{Mesh: "shop", Dataplane: "web-1"})
//	…
//	defer p.Close()
//	config, err := p.Config(ctx)    // what the control plane would send now
//	sent, err := p.Accepted()       // what it has sent
package proxies

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Options describe a proxy and how it behaves.
type Options struct {
	Mesh, Dataplane string

	// Workload is the workload of the token. A Dataplane with a MeshIdentity whose
	// path contains the workload needs it.
	Workload string

	// Token authenticates the proxy. Empty means a new one.
	Token string

	// StateOfTheWorld selects the variant of the protocol in which each response
	// lists all resources, which Kuma 3.0 does not serve. The default is delta.
	StateOfTheWorld bool

	// Features are those that kuma-dp announces; [Features] when nil.
	Features []string

	// Metadata adds fields to the metadata of the node or replaces them.
	Metadata map[string]any

	// Answer is called with each response of the control plane: nil accepts it, and
	// an error rejects it with its message. A proxy is slow as long as Answer does
	// not return; ctx ends when the proxy disconnects. Without Answer, the proxy
	// accepts everything.
	Answer func(ctx context.Context, r Response) error
}

// Proxy is a connected proxy. Close it.
type Proxy struct {
	site    *oracle.Site
	options Options
	conn    *grpc.ClientConn
	cancel  context.CancelFunc
	done    chan struct{}
	err     error // why the stream ended; valid when done is closed

	mu      sync.Mutex
	changed chan struct{} // closed after the next response
	state   state
}

// Connect connects the proxy of a Dataplane, which must exist, and returns when it
// has received its first listeners or ctx ends.
func Connect(ctx context.Context, s *oracle.Site, o Options) (*Proxy, error) {
	p, err := Start(ctx, s, o)
	if err != nil {
		return nil, err
	}
	err = p.Await(ctx, func() bool { return p.Responses(envoy.Listeners).Accepted > 0 })
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Start connects the proxy of a Dataplane and does not wait for its configuration.
func Start(ctx context.Context, s *oracle.Site, o Options) (*Proxy, error) {
	token := o.Token
	if token == "" {
		var err error
		if token, err = s.Client.IssueToken(ctx,
			controlplane.DataplaneToken{Mesh: o.Mesh, Name: o.Dataplane, Workload: o.Workload, ValidFor: "24h"}); err != nil {
			return nil, err
		}
	}
	node, err := o.node(s)
	if err != nil {
		return nil, err
	}
	// The certificate is the one that the control plane generated for itself.
	transport := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}) //nolint:gosec // a test on this host
	conn, err := grpc.NewClient(s.DataplaneServer(), grpc.WithTransportCredentials(transport),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)))
	if err != nil {
		return nil, err
	}
	streaming, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &Proxy{site: s, options: o, conn: conn, cancel: cancel, done: make(chan struct{}), changed: make(chan struct{}), state: newState()}
	go func() {
		defer close(p.done)
		p.err = p.run(metadata.AppendToOutgoingContext(streaming, "authorization", token), node)
	}()
	return p, nil
}

// Config returns the configuration that the control plane would send to the proxy
// now, which it computes for the request, with the secrets that the proxy has. A proxy
// can have an older configuration, or none: see [Proxy.Accepted].
func (p *Proxy) Config(ctx context.Context) (*envoy.Config, error) {
	answer, err := p.site.Inspect(ctx, p.options.Mesh, p.options.Dataplane, "_config")
	if err != nil {
		return nil, err
	}
	config, err := envoy.Parse(tree.Object(tree.Object(answer)["xds"]))
	if err != nil {
		return nil, err
	}
	accepted, err := p.Accepted()
	if err != nil {
		return nil, err
	}
	config.Secrets = accepted.Secrets // the answer has placeholders
	return config, nil
}

// Accepted returns the configuration that the proxy has received and accepted.
func (p *Proxy) Accepted() (*envoy.Config, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return envoy.Decode(p.state.resources)
}

// Counts are numbers of responses.
type Counts struct{ Accepted, Rejected int }

// Responses returns how many responses with resources of a type were answered.
func (p *Proxy) Responses(typeURL string) Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.counts[typeURL]
}

// Await waits until done returns true, which is called again after each response.
// It fails when the stream or ctx ends.
func (p *Proxy) Await(ctx context.Context, done func() bool) error {
	for {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		if done() {
			return nil
		}
		var err error
		select {
		case <-changed:
			continue
		case <-p.done:
			err = p.err
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		return fmt.Errorf("proxy %s of mesh %s: %w", p.options.Dataplane, p.options.Mesh, err)
	}
}

// Close disconnects the proxy, as when its host fails. It may be called more than
// once.
func (p *Proxy) Close() error {
	p.cancel()
	<-p.done
	return p.conn.Close()
}
