package providertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
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
	dir      string
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
	putResources(t, server, testworld.Resources(t, documents))
}

// Stored returns the names of the policies that a control plane holds.
func (c *Counted) Stored(t *testing.T) map[string]bool {
	t.Helper()
	client, err := controlplane.New(controlplane.Config{Endpoint: "http://embedded", Transport: c.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	resources, err := client.List(context.Background(), kinds.MeshTimeout, "shop")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, r := range resources {
		names[r.Name] = true
	}
	return names
}

// StoredFiles looks at the files of the embedded control plane.
func StoredFiles(t *testing.T, server *Counted, n int) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(server.dir, kinds.MeshTimeout.Path, "shop", "*.yaml"))
	if err != nil || len(files) > n {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

func (c *Counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.Requests.Add(1)
	time.Sleep(time.Duration(c.Latency.Load()))
	if c.Disturb == nil || !c.Disturb(w, r) {
		c.Server.ServeHTTP(w, r)
	}
}

// CompactJSON returns JSON without white space.
func CompactJSON(t *testing.T, text []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// StartCounted starts an embedded control plane that counts requests, and returns the provider
// block for it.
func StartCounted(t *testing.T) (c *Counted, config string) {
	t.Helper()
	dir := t.TempDir()
	s, err := embedded.New(embedded.Config{Directory: dir, Zone: "zone-1", Release: kuma.Newest2()})
	if err != nil {
		t.Fatal(err)
	}
	c = &Counted{Server: s, dir: dir}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return c, RequiredProvider + fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL)
}

func putResources(t *testing.T, server *Counted, resources []kuma.Resource) {
	t.Helper()
	client, err := controlplane.New(controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resources {
		k, _ := kinds.Find(r.Type)
		if _, _, err := client.Put(t.Context(), k, r); err != nil {
			t.Fatal(err)
		}
	}
}
