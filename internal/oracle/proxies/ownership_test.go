package proxies_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// addressOf returns the address of the Dataplane web, empty if there is none.
func addressOf(ctx context.Context, cp *oracle.Site) (string, error) {
	r, err := cp.Client.Get(ctx, kinds.Dataplane, "m", "web")
	if _, missing := errors.AsType[*controlplane.NotFoundError](err); missing {
		return "", nil
	}
	return tree.Text(tree.Object(r.Body["networking"])["address"]), err
}

// TestDataplaneOfKumaDP connects a proxy as kuma-dp does that was started with the
// Dataplane in a file: it replaces the one that was written through the API, and the
// control plane deletes it after the proxy has disconnected.
func TestDataplaneOfKumaDP(t *testing.T) {
	cp := start(t)
	const document = "{type: Dataplane, mesh: m, name: web, labels: {app: web}, networking: {address: %s, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}"
	store(t, cp, plainMesh, fmt.Sprintf(document, "127.0.0.8"))
	for _, c := range []struct {
		file           string
		owns           bool
		connected, end string
	}{
		{"", false, "127.0.0.8", "127.0.0.8"},
		{fmt.Sprintf(document, "127.0.0.9"), true, "127.0.0.9", ""},
	} {
		options := proxies.Options{Mesh: "m", Dataplane: "web"}
		if c.file != "" {
			options.Metadata = map[string]any{"dataplane.resource": c.file}
		}
		p, err := proxies.Connect(t.Context(), cp, options)
		testworld.NoError(t, err)
		if got, err := addressOf(t.Context(), cp); err != nil || got != c.connected {
			t.Errorf("while connected, the address is %q, want %q, error %v", got, c.connected, err)
		}
		states, _, err := proxiesOf(t.Context(), cp)
		if err != nil || len(states) != 1 || states[0].OwnsDataplane != c.owns {
			t.Errorf("%+v, error %v", states, err)
		}
		testworld.NoError(t, p.Close())
		begin, got := time.Now(), ""
		for time.Since(begin) < 20*time.Second {
			if got, err = addressOf(t.Context(), cp); err != nil || got == "" {
				break
			}
			time.Sleep(time.Second / 2)
		}
		t.Logf("owns %v: %q after %.1f s", c.owns, got, time.Since(begin).Seconds())
		if err != nil || got != c.end {
			t.Errorf("after the end, the address is %q, want %q, error %v", got, c.end, err)
		}
	}
}

// TestDeletedDataplaneOfConnectedProxy deletes the Dataplane of a connected proxy. It stays
// away, also if kuma-dp was started with it.
func TestDeletedDataplaneOfConnectedProxy(t *testing.T) {
	cp := start(t)
	for name, metadata := range map[string]map[string]any{"web": nil, "own": {"dataplane.resource": dataplane("own", 2)}} {
		store(t, cp, plainMesh, dataplane(name, 1))
		p, err := proxies.Connect(t.Context(), cp, proxies.Options{Mesh: "m", Dataplane: name, Metadata: metadata})
		testworld.NoError(t, err)
		defer p.Close()
		testworld.NoError(t, cp.Client.Delete(t.Context(), kinds.Dataplane, "m", name))
	}
	time.Sleep(12 * time.Second)
	if states, _, err := proxiesOf(t.Context(), cp); err != nil || len(states) != 0 {
		t.Errorf("%+v, error %v", states, err)
	}
}

// TestPlanOfDataplaneOfKumaDP plans a Dataplane that a proxy has replaced by its own.
func TestPlanOfDataplaneOfKumaDP(t *testing.T) {
	terraform := needTerraform(t)
	cp := start(t)
	store(t, cp, plainMesh)
	run := newTerraform(t, terraform, fmt.Sprintf(`
provider "kuma" {
  endpoint = %q
}
resource "kuma_dataplane" "web" {
  mesh = "m"
  name = "web"
  networking {
    address = "127.0.0.1"
    inbound {
      port     = 80
      protocol = "http"
    }
  }
}
`, cp.Endpoint))
	if out, err := run("apply", "-auto-approve", "-no-color"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, owns := range []bool{false, true} {
		options := proxies.Options{Mesh: "m", Dataplane: "web"}
		if owns {
			options.Metadata = map[string]any{"dataplane.resource": dataplane("web", 9)}
		}
		p, err := proxies.Connect(t.Context(), cp, options)
		testworld.NoError(t, err)
		out, err := run("plan", "-no-color")
		if err != nil || strings.Contains(string(out), "Dataplane belongs to kuma-dp") != owns {
			t.Errorf("owns %v: %v\n%s", owns, err, out)
		}
		testworld.NoError(t, p.Close())
	}
}
