package controlplane_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOutage checks that the client waits for a control plane that restarts, and not
// for one that was never reachable.
func TestOutage(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	unknownHost := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "cp", IsNotFound: true}}
	web := testworld.Resource(t, webTimeout)
	get := func(ctx context.Context, c *controlplane.Client) error {
		_, err := c.Get(ctx, kinds.MeshTimeout, "default", "web")
		return err
	}
	put := func(ctx context.Context, c *controlplane.Client) error {
		_, _, err := c.Put(ctx, kinds.MeshTimeout, web)
		return err
	}
	discover := func(ctx context.Context, c *controlplane.Client) error {
		_, err := c.Discover(ctx)
		return err
	}
	for name, test := range map[string]struct {
		ask     func(context.Context, *controlplane.Client) error
		outage  time.Duration
		away    func(*http.Request) (*http.Response, error)
		retries int
		longest time.Duration // until the response or the error
		ok      bool
	}{
		"read, refused for 12 s":  {get, 12 * time.Second, fails(refused), 0, 20 * time.Second, true},
		"write, refused for 12 s": {put, 12 * time.Second, fails(refused), 0, 20 * time.Second, true},
		"read, 503 for 12 s":      {get, 12 * time.Second, unavailable, 0, 20 * time.Second, true},
		"read, refused for 30 s":  {get, 30 * time.Second, fails(refused), 0, 36 * time.Second, true},
		"write, refused for 30 s": {put, 30 * time.Second, fails(refused), 0, 36 * time.Second, true},
		"read, gone":              {get, time.Hour, fails(refused), 0, 43 * time.Second, false},
		"no retry is asked for":   {get, 12 * time.Second, fails(refused), -1, 0, false},
		"start, refused":          {discover, time.Hour, fails(refused), 0, 4 * time.Second, false},
		"start, unknown host":     {discover, time.Hour, fails(unknownHost), 0, 4 * time.Second, false},
		"start, many retries":     {discover, time.Hour, fails(refused), 100, 4 * time.Second, false},
		"start, fewer retries":    {discover, time.Hour, fails(refused), 1, time.Second, false},
		"start, 503 for 12 s":     {discover, 12 * time.Second, unavailable, 0, 20 * time.Second, true},
		"after the start, refused": {func(ctx context.Context, c *controlplane.Client) error {
			_, err := c.Kinds(ctx)
			return err
		}, 12 * time.Second, fails(refused), 0, 20 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 20 { // the waits are random
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					network := responder(func(r *http.Request) (*http.Response, error) {
						if time.Since(start) < test.outage {
							return test.away(r)
						}
						if trace := httptrace.ContextClientTrace(r.Context()); trace != nil {
							trace.WroteHeaders()
						}
						return response(r, http.StatusOK, nil, `{"product":"Kuma","type":"MeshTimeout","mesh":"default","name":"web","spec":{}}`), nil
					})
					err := test.ask(t.Context(), client(t, controlplane.Config{Endpoint: "http://cp", Transport: network, MaxRetries: test.retries}))
					if took := time.Since(start); (err == nil) != test.ok || took > test.longest {
						t.Errorf("got error %v after %s, want success %t within %s", err, took, test.ok, test.longest)
					}
				})
			}
		})
	}
}

// fails is a network without a server.
func fails(err error) responder {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// unavailable is a proxy in front of a server that is down.
func unavailable(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil {
		trace.WroteHeaders()
	}
	return response(r, http.StatusServiceUnavailable, nil, ""), nil
}
