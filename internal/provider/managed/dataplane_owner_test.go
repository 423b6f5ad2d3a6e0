package managed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// ownedDataplanes manages three Dataplanes, one of them as a document.
const ownedDataplanes = `
variable "address" { default = "10.0.0.1" }
variable "suffix" { default = "" }
resource "kuma_mesh" "m" {
  name = "m"
}
resource "kuma_dataplane" "all" {
  for_each = toset(["own", "other"])
  mesh     = kuma_mesh.m.name
  name     = "${each.key}${var.suffix}"
  networking {
    address = var.address
    inbound {
      port = 80
      tags = { "kuma.io/service" = each.key }
    }
  }
}
resource "kuma_manifest" "document" {
  manifest = {
    type = "Dataplane"
    mesh = kuma_mesh.m.name
    name = "document${var.suffix}"
    networking = {
      address = var.address
      inbound = [{ port = 80, tags = { "kuma.io/service" = "document" } }]
    }
  }
}
`

// TestPlanOfDataplaneOfKumaDP plans changes of Dataplanes of which kuma-dp writes one as well.
func TestPlanOfDataplaneOfKumaDP(t *testing.T) {
	t.Parallel()
	server := &providertest.OverviewServer{}
	metadata := map[string]map[string]any{}
	for _, name := range []string{"document", "other", "own"} {
		metadata[name] = map[string]any{}
		server.Overviews = append(server.Overviews, map[string]any{"type": "DataplaneOverview", "mesh": "m", "name": name, "dataplaneInsight": map[string]any{"metadata": metadata[name]}})
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, nil) + ownedDataplanes})
	c.Must(t, "apply", "-auto-approve")
	unchanged := server.Requests.Load()
	if c.Must(t, "plan"); server.Requests.Load() != unchanged {
		t.Error("a plan that changes nothing reads the proxies")
	}
	for name, address := range map[string]string{"own": `kuma_dataplane.all["own"]`, "document": "kuma_manifest.document"} {
		metadata[name]["dataplane.resource"] = "{}"
		for about, argument := range map[string]string{"update": "-var=address=10.0.0.2", "replacement": "-var=suffix=-2", "destroy": "-destroy"} {
			before := server.Requests.Load()
			out := providertest.Unwrapped(c.Must(t, "plan", argument))
			want := fmt.Sprintf("Warning: Dataplane belongs to kuma-dp with %s,", address)
			if !strings.Contains(out, want) || strings.Count(out, "Warning: Dataplane") > 1 || !strings.Contains(out, fmt.Sprintf("kuma-dp was started with Dataplane %q of mesh \"m\" in a file", name)) {
				t.Errorf("%s: the plan does not say %q:\n%s", about, want, out)
			}
			if n := server.Requests.Load() - before; n != 1 {
				t.Errorf("%s: %d requests for proxies", about, n)
			}
		}
		delete(metadata[name], "dataplane.resource")
	}
}
