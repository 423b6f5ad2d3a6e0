package managed_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestUpgradeToKuma3UnderAManifest upgrades a control plane to Kuma 3.0 while a manifest of
// a kind that this provider does not describe is in the state: it is gone with its kind.
func TestUpgradeToKuma3UnderAManifest(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	older := &providertest.OtherRelease{Version: "2.14.3"}
	older.Start(t)
	newer, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.ParseRelease("3.0")})
	if err != nil {
		t.Fatal(err)
	}
	var upgraded atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if upgraded.Load() {
			newer.ServeHTTP(w, r)
			return
		}
		older.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	provider := providertest.RequiredProvider + fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL)
	const manifest = `
resource "kuma_manifest" "httpbin" {
  manifest = {
    type       = "ExternalService"
    mesh       = "default"
    name       = "httpbin"
    networking = { address = "httpbin.org:80" }
  }
}
`
	for name, test := range map[string]struct{ config, args, want string }{
		"plan":                    {manifest, "plan", "Kuma 3.0 removed kind ExternalService, and the control plane runs 3.0. Use MeshExternalService"},
		"removed":                 {"", "apply -auto-approve", "0 added, 0 changed, 0 destroyed"},
		"destroy":                 {"", "destroy -auto-approve", "0 destroyed"},
		"destroy without refresh": {manifest, "destroy -auto-approve -refresh=false", "1 destroyed"},
	} {
		c := providertest.NewCLI(t, map[string]string{"main.tf": provider + manifest})
		upgraded.Store(false)
		c.Must(t, "apply", "-auto-approve")
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), provider+test.config)
		upgraded.Store(true)
		if out, _ := c.Run(t, strings.Fields(test.args)...); !strings.Contains(strings.Join(strings.Fields(out), " "), test.want) || strings.Contains(out, "Cannot read") {
			t.Errorf("%s: want %q:\n%s", name, test.want, out)
		}
		older.Legacy = map[string]map[string]any{}
	}
}
