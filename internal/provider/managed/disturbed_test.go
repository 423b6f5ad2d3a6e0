package managed_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// inState returns how many policies the state holds.
func inState(t *testing.T, c providertest.CLI) int {
	t.Helper()
	return strings.Count(c.Must(t, "state", "list"), "kuma_mesh_timeout.service[")
}

// complete checks that n policies are stored and in the state, and that nothing
// is left to do.
func complete(t *testing.T, server *providertest.Counted, c providertest.CLI, n int) {
	t.Helper()
	if stored, known := len(server.Stored(t)), inState(t, c); stored != n || known != n {
		t.Errorf("%d policies are stored and %d in the state, want %d", stored, known, n)
	}
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("there is something left to do:\n%s", out)
	}
}

// TestUnreliableControlPlane checks that everything is created once if 5% of the
// requests have status 503 and 1% of the connections are reset, half of them after
// the change was applied.
func TestUnreliableControlPlane(t *testing.T) {
	t.Parallel()
	n := providertest.Size(40)
	server, config := providertest.StartCounted(t)
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 2))
	created := map[string]int{}
	server.Disturb = func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		dice := random.IntN(200)
		mu.Unlock()
		switch {
		case dice < 10:
			w.WriteHeader(http.StatusServiceUnavailable)
		case dice < 11:
			reset(w)
		default:
			answer := httptest.NewRecorder()
			server.Server.ServeHTTP(answer, r)
			if answer.Code == http.StatusCreated {
				mu.Lock()
				created[r.URL.Path]++
				mu.Unlock()
			}
			if dice < 12 {
				reset(w)
				break
			}
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes())
		}
		return true
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + providertest.ManyTimeouts(n)})
	c.Must(t, "apply", "-auto-approve", "-parallelism=10")
	for path, times := range created {
		if times > 1 {
			t.Errorf("%s was created %d times", path, times)
		}
	}
	complete(t, server, c, n)
}

// TestRestartOfControlPlane checks that an apply waits for a control plane that
// restarts.
func TestRestartOfControlPlane(t *testing.T) {
	t.Parallel()
	n := providertest.Size(40)
	server, config := providertest.StartCounted(t)
	var away atomic.Bool
	var once sync.Once
	server.Disturb = func(w http.ResponseWriter, _ *http.Request) bool {
		if server.Requests.Load() > int64(n) {
			once.Do(func() {
				away.Store(true)
				time.AfterFunc(time.Second, func() { away.Store(false) })
			})
		}
		if away.Load() {
			reset(w)
		}
		return away.Load()
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + providertest.ManyTimeouts(n)})
	c.Must(t, "apply", "-auto-approve", "-parallelism=10")
	complete(t, server, c, n)
}

// TestInterruptedApply checks that state and control plane agree after an interrupt
// during an apply, and that the next apply completes it.
func TestInterruptedApply(t *testing.T) {
	t.Parallel()
	n := providertest.Size(60)
	server, config := providertest.StartCounted(t)
	server.Latency.Store(int64(100 * time.Millisecond))
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + providertest.ManyTimeouts(n)})
	c.SeparateProcess(t)
	c.Must(t, "plan", "-out=plan")

	cmd := c.Command(t.Context(), "apply", "-no-color", "plan")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	testworld.NoError(t, cmd.Start())
	providertest.Await(t, "the apply has stored a quarter", func() bool { return len(server.Stored(t)) >= n/4 })
	testworld.NoError(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err == nil {
		t.Logf("the apply was done before it was interrupted")
	}
	stored, known := len(server.Stored(t)), inState(t, c)
	t.Logf("interrupted with %d of %d stored and %d in the state", stored, n, known)
	if stored != known {
		t.Errorf("%d policies are stored and %d in the state:\n%s", stored, known, out.String())
	}
	c.Must(t, "apply", "-auto-approve")
	complete(t, server, c, n)
}

// TestPlanForAnotherControlPlane applies saved plans while the endpoint is another control plane
// that has the same resources, as after a change of KUMA_ENDPOINT.
func TestPlanForAnotherControlPlane(t *testing.T) {
	t.Parallel()
	server, config := providertest.StartCounted(t)
	installation := "staging"
	server.Disturb = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/" {
			_, _ = fmt.Fprintf(w, `{"product": "Kuma", "version": "2.14.3", "clusterId": %q}`, installation)
		}
		return r.URL.Path == "/"
	}
	const idle = "variable \"idle\" {\n  default = \"1h\"\n}\n"
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + idle +
		strings.Replace(providertest.ManyTimeouts(1), `"1h"`, "var.idle", 1)})
	c.Must(t, "apply", "-auto-approve")
	before := server.Stored(t)
	for _, argument := range []string{"-destroy", "-replace=kuma_mesh_timeout.service[0]", "-var=idle=2h"} {
		c.Must(t, "plan", "-out=plan", argument)
		installation = "production"
		c.Refused(t, `was not changed: the plan is for the control plane staging, and this is production\.`, "apply", "plan")
		if after := server.Stored(t); !maps.Equal(before, after) {
			t.Errorf("%s: stored %v, before %v", argument, after, before)
		}
		c.PlanIsEmpty(t) // which reads the resources of the other control plane
		c.Must(t, "apply", "-auto-approve")
		installation = "staging"
		c.Must(t, "apply", "-auto-approve")
	}
	installation = "production"
	c.Must(t, "destroy", "-auto-approve")
}
