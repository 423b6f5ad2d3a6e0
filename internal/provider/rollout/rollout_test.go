package rollout_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

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
      tags = { "kuma.io/service" = each.key, "kuma.io/protocol" = "http" }
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
  timeout    = "10m"
  depends_on = [kuma_mesh_timeout.in, kuma_dataplane.all]
}
output "counts" { value = { for outcome, n in data.kuma_rollout.in.counts : outcome => n if n > 0 } }
output "names" { value = [data.kuma_rollout.in.rejected, data.kuma_rollout.in.pending, data.kuma_rollout.in.not_sent, data.kuma_rollout.in.offline] }
output "complete" { value = data.kuma_rollout.in.complete }
output "summary" { value = data.kuma_rollout.in.summary }
`

func TestRolloutAfterApply(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for name, c := range map[string]struct {
		rejects, ignores []string
		step             time.Duration // of the clock of the control plane
		timeout          string
		want             map[string]any
	}{
		"acknowledged": {nil, nil, providertest.StepBeyond, "10m", map[string]any{
			"counts": map[string]any{"acknowledged": 2.0, "offline": 1.0}, "names": []any{[]any{}, []any{}, []any{}, []any{"gone"}}, "complete": true,
		}},
		"rejected": {[]string{"two"}, nil, providertest.StepBefore, "10m", map[string]any{
			"counts": map[string]any{"pending": 1.0, "rejected": 1.0, "offline": 1.0}, "names": []any{[]any{"two"}, []any{"web"}, []any{}, []any{"gone"}}, "complete": false,
		}},
		"not sent": {nil, []string{"web"}, providertest.StepBeyond, "1s", map[string]any{
			"counts": map[string]any{"acknowledged": 1.0, "not_sent": 1.0, "offline": 1.0}, "names": []any{[]any{}, []any{}, []any{"web"}, []any{"gone"}}, "complete": false,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := providertest.NewFollowingServer(t, c.rejects, c.ignores)
			server.Step = c.step
			wait := strings.Replace(waitsForRollout, "10m", c.timeout, 1)
			run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, server) + changesPolicy + wait})
			run.Must(t, "apply", "-auto-approve")
			before := server.Requests.Load()
			run.Must(t, "apply", "-auto-approve", "-var", "request=4s")
			if n := server.Requests.Load() - before; n != 2 && c.ignores == nil {
				t.Errorf("the apply has read the overviews %d times, want 2: the second reading shows the outcome", n)
			}
			got := run.Outputs(t)
			summary, _ := json.Marshal(got["summary"])
			delete(got, "summary")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, summary)
			}
		})
	}
}

// TestNoDataplaneIsSelected selects no proxies, which is not the same as all.
func TestNoDataplaneIsSelected(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	server := providertest.NewFollowingServer(t, nil, nil)
	run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, server) + changesPolicy + `
data "kuma_proxies" "none" {
  mesh = kuma_mesh.m.name
  dataplanes {
    labels = { app = "none" }
  }
  depends_on = [kuma_dataplane.all]
}
data "kuma_rollout" "none" {
  mesh       = kuma_mesh.m.name
  names      = []
  timeout    = "10m"
  depends_on = [kuma_mesh_timeout.in, kuma_dataplane.all]
}
output "proxies" { value = data.kuma_proxies.none.proxies }
output "counts" { value = sum(values(data.kuma_rollout.none.counts)) }
`})
	run.Must(t, "apply", "-auto-approve")
	testworld.Equal(t, "result", map[string]any{"proxies": []any{}, "counts": 0.0}, run.Outputs(t))
}

// TestRolloutWithOtherClock waits for a change on a control plane whose clock differs.
func TestRolloutWithOtherClock(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for _, ahead := range []time.Duration{-2 * time.Hour, 2 * time.Hour} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			server := providertest.NewFollowingServer(t, nil, nil)
			server.Ahead = ahead
			run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, server) + changesPolicy + waitsForRollout})
			run.Must(t, "apply", "-auto-approve")
			before := server.Requests.Load()
			run.Must(t, "apply", "-auto-approve", "-var", "request=4s")
			if n := server.Requests.Load() - before; n != 2 {
				t.Errorf("the apply has read the overviews %d times, want 2: the second reading shows the outcome", n)
			}
			testworld.Equal(t, "result", map[string]any{"acknowledged": 2.0, "offline": 1.0}, run.Outputs(t)["counts"])
		})
	}
}

// TestRolloutIsInterrupted interrupts Terraform while it waits for a proxy that gets nothing.
func TestRolloutIsInterrupted(t *testing.T) {
	t.Parallel()
	server := providertest.NewFollowingServer(t, nil, []string{"web"})
	config := strings.Replace(changesPolicy+waitsForRollout, `"10m"`, `"24h"`, 1)
	run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, server) + config})
	run.Must(t, "apply", "-auto-approve")
	interruptWait(t, run, server, "-var", "request=4s")
}

// interruptWait applies a configuration that waits for longer than any test may take, and
// interrupts the command line while it waits.
func interruptWait(t *testing.T, run providertest.CLI, server *providertest.FollowingServer, arguments ...string) {
	t.Helper()
	waiting := server.Requests.Load() + 3
	run.SeparateProcess(t)
	cmd := run.Command(t.Context(), append([]string{"apply", "-auto-approve", "-no-color"}, arguments...)...)
	testworld.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for server.Requests.Load() < waiting {
		select {
		case err := <-ended:
			t.Fatalf("the apply does not wait: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	testworld.NoError(t, cmd.Process.Signal(os.Interrupt))
	if err := <-ended; err == nil {
		t.Error("the apply did not fail")
	}
}

func TestRolloutMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, "data \"kuma_rollout\" \"all\" {\n  %s\n}\n", map[string]providertest.Mistake{
		"timeout": {`timeout = "soon"`, "Invalid duration"},
		"since":   {`since = "today"`, "Invalid time"},
		"mesh":    {`mesh = "missing"`, "Mesh not found"},
	})
}
