package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// counted is a control plane on a port that counts requests and delays
// responses.
type counted struct {
	*embedded.Server
	dir      string
	requests atomic.Int64
	latency  atomic.Int64                                         // nanoseconds
	disturb  func(http.ResponseWriter, *http.Request) (done bool) // nil for none
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests.Add(1)
	time.Sleep(time.Duration(c.latency.Load()))
	if c.disturb == nil || !c.disturb(w, r) {
		c.Server.ServeHTTP(w, r)
	}
}

// during returns the requests and the time that do takes.
func (c *counted) during(do func()) (requests int64, took time.Duration) {
	before, start := c.requests.Load(), time.Now()
	do()
	return c.requests.Load() - before, time.Since(start)
}

func startCounted(t *testing.T) (c *counted, config string) {
	t.Helper()
	dir := t.TempDir()
	s, err := embedded.New(embedded.Config{Directory: dir, Zone: "zone-1", Release: kuma.Newest2()})
	if err != nil {
		t.Fatal(err)
	}
	c = &counted{Server: s, dir: dir}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return c, requiredProvider + fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL)
}

// manyTimeouts is a mesh with n policies.
func manyTimeouts(n int) string {
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

// TestRequestsOfManyResources checks that the number of requests of a plan does not
// grow with the number of resources, and that an apply sends two for each, and a destroy
// three. Plan and apply of a mesh that is destroyed list the resources of each kind once.
func TestRequestsOfManyResources(t *testing.T) {
	t.Parallel()
	needCLI(t)
	n := size(60)
	server, config := startCounted(t)
	c := newCLI(t, map[string]string{"main.tf": config + manyTimeouts(n)})
	atMost := func(what string, most int64, args ...string) {
		t.Helper()
		requests, took := server.during(func() { c.must(t, args...) })
		t.Logf("%-22s %4d requests, %v", what, requests, took.Round(time.Millisecond))
		if requests > most {
			t.Errorf("%s: %d requests, want at most %d", what, requests, most)
		}
	}
	atMost("plan of new resources", 20, "plan", "-out=plan")
	atMost("apply", int64(2*(n+1)+20), "apply", "plan")
	atMost("plan without changes", 20, "plan", "-detailed-exitcode")
	write(t, filepath.Join(c.dir, "main.tf"), config+strings.Replace(manyTimeouts(n), `"1h"`, `"2h"`, 1))
	atMost("plan of changes", 20, "plan", "-out=plan")
	atMost("apply of changes", int64(2*n+20), "apply", "plan")
	state, err := os.ReadFile(filepath.Join(c.dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	if size := len(compactJSON(t, state)) / (n + 1); size > 1200 {
		t.Errorf("the state takes %d bytes per resource", size)
	}
	atMost("destroy", int64(3*(n+1)+2*len(kinds.All())+20), "destroy", "-auto-approve")
}

func compactJSON(t *testing.T, text []byte) []byte {
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
