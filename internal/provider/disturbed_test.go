package provider_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// stored returns the names of the policies that a control plane holds.
func (c *counted) stored(t *testing.T) map[string]bool {
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

// inState returns how many policies the state holds.
func inState(t *testing.T, c cli) int {
	t.Helper()
	return strings.Count(c.must(t, "state", "list"), "kuma_mesh_timeout.service[")
}

// complete checks that n policies are stored and in the state, and that nothing
// is left to do.
func complete(t *testing.T, server *counted, c cli, n int) {
	t.Helper()
	if stored, known := len(server.stored(t)), inState(t, c); stored != n || known != n {
		t.Errorf("%d policies are stored and %d in the state, want %d", stored, known, n)
	}
	if out, code := c.run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("there is something left to do:\n%s", out)
	}
}

// TestUnreliableControlPlane checks that everything is created once if 5 % of the
// requests have status 503 and 1 % of the connections are reset, half of them after
// the change was applied.
func TestUnreliableControlPlane(t *testing.T) {
	t.Parallel()
	needCLI(t)
	n := size(100)
	server, config := startCounted(t)
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 2))
	created := map[string]int{}
	server.disturb = func(w http.ResponseWriter, r *http.Request) bool {
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
	c := newCLI(t, map[string]string{"main.tf": config + manyTimeouts(n)})
	c.must(t, "apply", "-auto-approve", "-parallelism=10")
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
	needCLI(t)
	n := size(100)
	server, config := startCounted(t)
	var away atomic.Bool
	var once sync.Once
	server.disturb = func(w http.ResponseWriter, _ *http.Request) bool {
		if server.requests.Load() > int64(n) {
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
	c := newCLI(t, map[string]string{"main.tf": config + manyTimeouts(n)})
	c.must(t, "apply", "-auto-approve", "-parallelism=10")
	complete(t, server, c, n)
}

// TestInterruptedApply checks that state and control plane agree after an interrupt
// during an apply, and that the next apply completes it.
func TestInterruptedApply(t *testing.T) {
	t.Parallel()
	needCLI(t)
	n := size(200)
	server, config := startCounted(t)
	server.latency.Store(int64(20 * time.Millisecond))
	c := newCLI(t, map[string]string{"main.tf": config + manyTimeouts(n)})
	c.separateProcess(t)
	c.must(t, "plan", "-out=plan")

	cmd := c.command(t.Context(), "apply", "-no-color", "plan")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); len(storedFiles(t, server, n)) < n/4; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the apply makes no progress:\n%s", out.String())
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Logf("the apply was done before it was interrupted")
	}
	stored, known := len(server.stored(t)), inState(t, c)
	t.Logf("interrupted with %d of %d stored and %d in the state", stored, n, known)
	if stored != known {
		t.Errorf("%d policies are stored and %d in the state:\n%s", stored, known, out.String())
	}
	c.must(t, "apply", "-auto-approve")
	complete(t, server, c, n)
}

// storedFiles looks at the files of the embedded control plane.
func storedFiles(t *testing.T, server *counted, n int) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(server.dir, kinds.MeshTimeout.Path, "shop", "*.yaml"))
	if err != nil || len(files) > n {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// size returns how many resources a test has: a few, or as many as KUMA_SCALE
// says.
func size(usual int) int {
	var n int
	if _, err := fmt.Sscan(os.Getenv("KUMA_SCALE"), &n); err != nil {
		return usual
	}
	return n
}
