package managed_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTokenIsNotShown checks that the token is in no log, plan, state or message, for
// each source of the token and each failure of a request.
func TestTokenIsNotShown(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const secret = "eyJhbGciOiJSUzI1NiJ9.never-to-be-seen.c2lnbmF0dXJl"
	var mu sync.Mutex
	sent := 0
	refuse := false
	s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	testworld.NoError(t, err)
	controlPlane := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Authorization") == "Bearer "+secret {
			sent++
		}
		switch {
		case refuse && r.Method == http.MethodPut:
			answerWith(401, "application/json", unauthorized)(w, r, nil)
		case sent%4 == 0:
			reset(w)
		case sent%6 == 0:
			answerWith(502, "text/html", html)(w, r, nil)
		default:
			s.ServeHTTP(w, r)
		}
	}))
	controlPlane.Config.SetKeepAlivesEnabled(false) // a client silently repeats a request whose used connection is reset
	t.Cleanup(controlPlane.Close)
	kumactl := fmt.Sprintf("contexts: [{name: shop, controlPlane: shop}]\ncontrolPlanes: [{name: shop, coordinates: {apiServer: {url: %q, authType: tokens, authConf: {token: %s}}}}]\ncurrentContext: shop\n", controlPlane.URL, secret)

	for name, test := range map[string]struct {
		env     map[string]string
		kumactl string
	}{
		"environment": {map[string]string{"KUMA_ENDPOINT": controlPlane.URL, "KUMA_TOKEN": secret}, ""},
		"kumactl":     {map[string]string{"KUMA_ENDPOINT": "", "KUMA_TOKEN": ""}, kumactl},
	} {
		t.Run(name, func(t *testing.T) {
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + `
resource "kuma_mesh" "shop" {
  name = "` + name + `"
}
resource "kuma_mesh_timeout" "web" {
  mesh = kuma_mesh.shop.name
  name = "web"
  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout = "1m"
      }
    }
  }
}
data "kuma_resources" "all" {
  type       = "MeshTimeout"
  depends_on = [kuma_mesh_timeout.web]
}
`})
			home := t.TempDir()
			testworld.NoError(t, os.Mkdir(filepath.Join(home, ".kumactl"), 0o700))
			providertest.Write(t, filepath.Join(home, ".kumactl", "config"), test.kumactl)
			log := filepath.Join(c.Dir, "trace.log")
			c.SeparateProcess(t)
			c.Env = append(c.Env, "HOME="+home, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
			for name, value := range test.env {
				c.Env = append(c.Env, name+"="+value)
			}
			mu.Lock()
			sent, refuse = 0, false
			mu.Unlock()

			var seen strings.Builder
			seen.WriteString(c.Must(t, "plan", "-out=plan"))
			seen.WriteString(c.Must(t, "show", "-json", "plan"))
			seen.WriteString(c.Must(t, "apply", "plan"))
			mu.Lock()
			refuse = true
			mu.Unlock()
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), strings.Replace(testworld.Text(t, filepath.Join(c.Dir, "main.tf")), `"1m"`, `"2m"`, 1))
			refused, code := c.Run(t, "apply", "-auto-approve")
			if code == 0 || !providertest.Expression("rejected the token").MatchString(refused) {
				t.Errorf("exit code %d, want a refusal\n%s", code, refused)
			}
			seen.WriteString(refused)
			seen.WriteString(c.Must(t, "show", "-json"))
			seen.WriteString(testworld.Text(t, filepath.Join(c.Dir, "terraform.tfstate")))
			logged := testworld.Text(t, log)
			seen.WriteString(logged)

			if sent == 0 {
				t.Error("the token was never sent")
			}
			for _, line := range []string{"request to the control plane succeeded", "request to the control plane failed", "status=502", "status=401", "attempt=2", "method=PUT", "path=/meshes/" + name + "/meshtimeouts/web"} {
				if !strings.Contains(logged, line) {
					t.Errorf("the log has no %q", line)
				}
			}
			for _, form := range []string{secret, "never-to-be-seen", base64.StdEncoding.EncodeToString([]byte(secret))} {
				if strings.Contains(seen.String(), form) {
					t.Errorf("%q is shown", form)
				}
			}
		})
	}
}
