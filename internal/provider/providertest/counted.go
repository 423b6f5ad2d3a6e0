package providertest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Counted is a control plane on a port that counts requests and delays
// responses.
type Counted struct {
	*embedded.Server
	Requests atomic.Int64
	Latency  atomic.Int64                                         // nanoseconds
	Disturb  func(http.ResponseWriter, *http.Request) (done bool) // nil for none
}

// During returns the requests and the time that do takes.
func (c *Counted) During(do func()) (requests int64, took time.Duration) {
	before, start := c.Requests.Load(), time.Now()
	do()
	return c.Requests.Load() - before, time.Since(start)
}

// ManyTimeouts is a mesh with n policies.
func ManyTimeouts(n int) string {
	return fmt.Sprintf(`
resource "kuma_mesh" "shop" {
  name                           = "shop"
  skip_creating_initial_policies = ["*"]
}

resource "kuma_mesh_timeout" "service" {
  count = %d
  mesh  = kuma_mesh.shop.name
  name  = "timeout-${count.index}"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "app-${count.index}" }
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout = "1h"
        http {
          request_timeout = "${count.index + 1}s"
        }
      }
    }
  }
}
`, n)
}

// PutDocuments stores documents on an embedded control plane.
func PutDocuments(t *testing.T, server *Counted, documents string) {
	t.Helper()
	Put(t, ClientOf(t, server.Server), testworld.Resources(t, documents)...)
}

// Stored returns the names of the policies that a control plane holds.
func (c *Counted) Stored(t *testing.T) map[string]bool {
	t.Helper()
	resources, err := ClientOf(t, c.Server).List(context.Background(), kinds.MeshTimeout, "")
	testworld.NoError(t, err)
	names := map[string]bool{}
	for _, r := range resources {
		names[r.Name] = true
	}
	return names
}

func (c *Counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.Requests.Add(1)
	time.Sleep(time.Duration(c.Latency.Load()))
	if c.Disturb == nil || !c.Disturb(w, r) {
		c.Server.ServeHTTP(w, r)
	}
}

// StartCounted starts an embedded control plane that counts requests, and returns the provider
// block for it.
func StartCounted(t *testing.T) (c *Counted, config string) {
	t.Helper()
	c = &Counted{Server: newServer(t, t.TempDir(), kuma.Newest2())}
	return c, RequiredProvider + listen(t, c)
}

// newServer returns an embedded control plane.
func newServer(tb testing.TB, dir string, release kuma.Release) *embedded.Server {
	tb.Helper()
	s, err := embedded.New(embedded.Config{Directory: dir, Zone: "zone-1", Release: release})
	testworld.NoError(tb, err)
	return s
}

// ClientOf returns a client of an embedded control plane.
func ClientOf(tb testing.TB, server *embedded.Server) *controlplane.Client {
	tb.Helper()
	client, err := controlplane.New(controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()})
	testworld.NoError(tb, err)
	return client
}

// listen serves a control plane on a port until the test ends, and returns the provider block for it.
func listen(t *testing.T, controlPlane http.Handler) string {
	t.Helper()
	server := httptest.NewServer(controlPlane)
	t.Cleanup(server.Close)
	return fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL)
}
