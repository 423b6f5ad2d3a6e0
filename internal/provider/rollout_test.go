package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// followingServer is a control plane whose connected proxies answer a change of a
// policy after a moment. It shows their answers after a second.
type followingServer struct {
	overviewServer
	rejects, ignores []string      // names of proxies
	ahead            time.Duration // of its clock

	mu      sync.Mutex
	written time.Time // the last write of a policy; zero for none
}

func newFollowingServer(t *testing.T, rejects, ignores []string) *followingServer {
	t.Helper()
	server := &followingServer{rejects: rejects, ignores: ignores}
	for _, o := range recordedOverviews(t) {
		if slices.Contains([]string{"gone", "two", "web"}, tree.Text(tree.Object(o)["name"])) {
			server.overviews = append(server.overviews, o)
		}
	}
	return server
}

func (s *followingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/meshtimeouts/"):
		s.overviewServer.ServeHTTP(w, r)
		s.mu.Lock()
		s.written = time.Now()
		s.mu.Unlock()
	case r.URL.Path == "/config":
		_, _ = fmt.Fprint(w, `{"mode": "zone", "environment": "universal", "multizone": {"zone": {"name": "zone-1"}}, "xdsServer": {"dataplaneConfigurationRefreshInterval": "100ms", "dataplaneStatusFlushInterval": "1s"}}`)
	case r.URL.Path == s.path():
		s.show()
		s.date = time.Now().Add(s.ahead).UTC().Format(http.TimeFormat)
		s.overviewServer.ServeHTTP(w, r)
	default:
		s.overviewServer.ServeHTTP(w, r)
	}
}

// show adds to the overviews what the proxies have answered.
func (s *followingServer) show() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written.IsZero() || time.Since(s.written) < time.Second {
		return
	}
	at := s.written.Add(s.ahead + 300*time.Millisecond).UTC().Format(time.RFC3339Nano)
	s.written = time.Time{}
	for _, o := range s.overviews {
		name := tree.Text(tree.Object(o)["name"])
		for _, subscription := range tree.Objects(tree.Object(tree.Object(o)["dataplaneInsight"])["subscriptions"]) {
			if slices.Contains(s.ignores, name) || subscription["disconnectTime"] != nil {
				continue
			}
			status := tree.Object(subscription["status"])
			status["lastUpdateTime"] = at
			for _, counter := range []string{"lds", "total"} {
				c := tree.Object(status[counter])
				increase(c, "responsesSent")
				if slices.Contains(s.rejects, name) {
					increase(c, "responsesRejected")
				} else {
					increase(c, "responsesAcknowledged")
				}
			}
		}
	}
}

func increase(counts map[string]any, name string) {
	var n int
	_, _ = fmt.Sscan(tree.Text(counts[name]), &n)
	counts[name] = fmt.Sprint(n + 1)
}

// changesPolicy changes a policy for the proxies web, two and gone.
const changesPolicy = `
resource "kuma_mesh" "m" {
  name = "m"
}
resource "kuma_dataplane" "all" {
  for_each = toset(["gone", "two", "web"])
  mesh     = kuma_mesh.m.name
  name     = each.key
  networking {
    address = "10.0.0.1"
    inbound {
      port = 80
      tags = { "kuma.io/service" = each.key }
    }
  }
}
variable "request" { default = "3s" }
resource "kuma_mesh_timeout" "in" {
  mesh = kuma_mesh.m.name
  name = "in"
  spec {
    rules {
      default {
        http {
          request_timeout = var.request
        }
      }
    }
  }
  # TRIGGER
}
`

// waitsForRollout waits for the change.
const waitsForRollout = `
data "kuma_rollout" "in" {
  mesh       = kuma_mesh.m.name
  names      = ["gone", "two", "web"]
  timeout    = "20s"
  depends_on = [kuma_mesh_timeout.in, kuma_dataplane.all]
}
output "counts" { value = { for outcome, n in data.kuma_rollout.in.counts : outcome => n if n > 0 } }
output "names" { value = [data.kuma_rollout.in.rejected, data.kuma_rollout.in.pending, data.kuma_rollout.in.not_sent, data.kuma_rollout.in.offline] }
output "complete" { value = data.kuma_rollout.in.complete }
output "summary" { value = data.kuma_rollout.in.summary }
`

func TestRolloutAfterApply(t *testing.T) {
	t.Parallel()
	needCLI(t)
	for name, c := range map[string]struct {
		rejects, ignores []string
		want             map[string]any
		longest          time.Duration
	}{
		"acknowledged": {nil, nil, map[string]any{
			"counts": map[string]any{"acknowledged": 2.0, "offline": 1.0}, "names": []any{[]any{}, []any{}, []any{}, []any{"gone"}}, "complete": true,
		}, 15 * time.Second},
		"rejected": {[]string{"two"}, nil, map[string]any{
			"counts": map[string]any{"pending": 1.0, "rejected": 1.0, "offline": 1.0}, "names": []any{[]any{"two"}, []any{"web"}, []any{}, []any{"gone"}}, "complete": false,
		}, 8 * time.Second},
		"not sent": {nil, []string{"web"}, map[string]any{
			"counts": map[string]any{"acknowledged": 1.0, "not_sent": 1.0, "offline": 1.0}, "names": []any{[]any{}, []any{}, []any{"web"}, []any{"gone"}}, "complete": false,
		}, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFollowingServer(t, c.rejects, c.ignores)
			run := newCLI(t, map[string]string{"main.tf": requiredProvider + server.start(t, server) + changesPolicy + waitsForRollout})
			run.must(t, "apply", "-auto-approve")
			begin := time.Now()
			run.must(t, "apply", "-auto-approve", "-var", "request=4s")
			if took := time.Since(begin); took > c.longest {
				t.Errorf("the apply took %v", took)
			}
			got := run.outputs(t)
			summary, _ := json.Marshal(got["summary"])
			delete(got, "summary")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, summary)
			}
		})
	}
}

// TestRolloutWithOtherClock waits for a change on a control plane whose clock differs.
func TestRolloutWithOtherClock(t *testing.T) {
	t.Parallel()
	needCLI(t)
	for _, ahead := range []time.Duration{-2 * time.Hour, 2 * time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			server := newFollowingServer(t, nil, nil)
			server.ahead = ahead
			run := newCLI(t, map[string]string{"main.tf": requiredProvider + server.start(t, server) + changesPolicy + waitsForRollout})
			run.must(t, "apply", "-auto-approve")
			begin := time.Now()
			run.must(t, "apply", "-auto-approve", "-var", "request=4s")
			if took := time.Since(begin); took > 15*time.Second {
				t.Errorf("the apply took %v", took)
			}
			if diff := cmp.Diff(map[string]any{"acknowledged": 2.0, "offline": 1.0}, run.outputs(t)["counts"]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRolloutIsInterrupted interrupts Terraform while it waits for a proxy that gets nothing.
func TestRolloutIsInterrupted(t *testing.T) {
	t.Parallel()
	needCLI(t)
	server := newFollowingServer(t, nil, []string{"web"})
	config := strings.Replace(changesPolicy+waitsForRollout, `"20s"`, `"10m"`, 1)
	run := newCLI(t, map[string]string{"main.tf": requiredProvider + server.start(t, server) + config})
	interruptWait(t, run, server)
}

// interruptWait applies a configuration, and interrupts the command line while it waits.
func interruptWait(t *testing.T, run cli, server *followingServer, arguments ...string) {
	t.Helper()
	waiting := server.requests.Load() + 3
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run.separateProcess(t)
	cmd := run.command(ctx, append([]string{"apply", "-auto-approve", "-no-color"}, arguments...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for server.requests.Load() < waiting && ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
	}
	begin := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the apply did not fail")
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("the apply ended %v after the interrupt", took)
	}
}

func TestRolloutArguments(t *testing.T) {
	t.Parallel()
	needCLI(t)
	cp := newTestControlPlane(t)
	for arguments, want := range map[string]string{
		`timeout = "soon"`:    "Invalid duration",
		`since   = "today"`:   "Invalid time",
		`mesh    = "missing"`: "Mesh not found",
	} {
		c := newCLI(t, map[string]string{"main.tf": requiredProvider + cp.config + "data \"kuma_rollout\" \"all\" {\n  " + arguments + "\n}\n"})
		if out, code := c.run(t, "plan"); code == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d:\n%s", arguments, code, out)
		}
	}
}
