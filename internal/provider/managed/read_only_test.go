package managed_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestReadOnlyControlPlane checks that the plan rejects changes that the control plane
// does not accept, and nothing else.
func TestReadOnlyControlPlane(t *testing.T) {
	t.Parallel()
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	if err != nil {
		t.Fatal(err)
	}
	client, err := controlplane.New(controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	mesh := kuma.Resource{Type: "Mesh", Name: "default", Body: map[string]any{"skipCreatingInitialPolicies": []any{"*"}}}
	if _, _, err := client.Put(t.Context(), kinds.Mesh, mesh); err != nil {
		t.Fatal(err)
	}
	var readOnly atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/config" && readOnly.Load() {
			_, _ = io.WriteString(w, `{"mode": "zone", "environment": "universal", "apiServer": {"readOnly": true}}`)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	config := map[string]any{"endpoint": proxy.URL}

	s := providertest.NewSession(t, "kuma_mesh_timeout", config)
	mustSucceed(t, s.Apply(t, timeoutOf("60s"), nil))
	readOnly.Store(true)
	after := providertest.NewSession(t, "kuma_mesh_timeout", config)
	after.Instance = s.Instance
	mustSucceed(t, after.Refresh(t))
	mustSucceed(t, after.Apply(t, timeoutOf("1m"), nil)) // the same in another spelling
	for action, wanted := range map[string]map[string]any{"update": timeoutOf("2m"), "delete": nil} {
		if diags := after.Apply(t, wanted, nil); !providertest.HasErrors(diags) || !strings.Contains(said(diags), "Control plane is read-only") {
			t.Errorf("%s: the plan says %q, want that the control plane is read-only", action, said(diags))
		}
	}
}
