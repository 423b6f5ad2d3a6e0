package proxies_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// meshAndProxies manages a mesh, and reads its proxies and the rollout of a change.
const meshAndProxies = `
variable "endpoint" {}
provider "kuma" {
  endpoint = var.endpoint
}
resource "kuma_mesh" "m" {
  name = "m"
  mesh_services {
    mode = "Exclusive"
  }
}
resource "kuma_dataplane" "web" {
  mesh = kuma_mesh.m.name
  name = "web"
  networking {
    address = "127.0.0.1"
    inbound {
      port     = 80
      protocol = "http"
    }
  }
}
data "kuma_proxies" "m" {
  mesh       = kuma_mesh.m.name
  depends_on = [kuma_dataplane.web]
}
data "kuma_rollout" "m" {
  mesh       = kuma_mesh.m.name
  depends_on = [kuma_dataplane.web]
}
output "proxies" { value = data.kuma_proxies.m.summary }
output "rollout" { value = data.kuma_rollout.m.summary }
`

// TestProxiesAfterRestart applies a configuration again to a control plane that has lost
// everything, as one with a store in memory has after a restart: there are no insights until
// proxies connect.
func TestProxiesAfterRestart(t *testing.T) {
	terraform := needTerraform(t)
	run := newTerraform(t, terraform, meshAndProxies)
	apply := func(cp *oracle.Site, wants ...string) {
		t.Helper()
		begin := time.Now()
		out, err := run("apply", "-auto-approve", "-no-color", "-var", "endpoint="+cp.Endpoint)
		_, outputs, _ := strings.Cut(string(out), "Outputs:")
		t.Logf("%.1f s:%s", time.Since(begin).Seconds(), outputs)
		for _, want := range wants {
			if err != nil || !strings.Contains(outputs, want) {
				t.Errorf("%v, want %q:\n%s", err, want, out)
			}
		}
	}
	const never, offline = "Never connected (1): web.", "No proxy is connected: of 1 proxy, 1 offline."
	before := start(t)
	apply(before, never, offline)
	p, err := proxies.Connect(t.Context(), before, proxies.Options{Mesh: "m", Dataplane: "web"})
	testworld.NoError(t, err)
	defer p.Close()
	apply(before, "1 proxy: 1 online", "of 1 proxy, 1 acknowledged.")
	apply(start(t), never, offline)
}
