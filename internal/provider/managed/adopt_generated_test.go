package managed_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// generatedServices is a mesh in which a real control plane generates the MeshService of a
// Dataplane within two seconds (rest-api.md §10).
const generatedServices = `
resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_dataplane" "stock" {
  mesh = kuma_mesh.shop.name
  name = "stock-1"

  networking {
    address = "10.0.0.1"
    inbound {
      port = 8080
      tags = { "kuma.io/service" = "stock" }
    }
  }
}
`

const ownService = `
resource "kuma_mesh_service" "stock" {
  mesh = "shop"
  name = "stock"

  spec {
    selector {
      dataplane_tags = { "kuma.io/service" = "stock" }
    }
    ports {
      port         = 80
      target_port  = 8080
      app_protocol = "http"
    }
  }
}
`

// awaitGeneratedService waits until the control plane has generated the MeshService. The
// embedded one does not generate it, so that the test does.
func awaitGeneratedService(t *testing.T, cp providertest.ControlPlane) {
	t.Helper()
	if providertest.RealEndpoint == "" {
		service := testworld.Resource(t, `{type: MeshService, mesh: shop, name: stock, labels: {kuma.io/display-name: stock, kuma.io/managed-by: meshservice-generator},
  spec: {selector: {dataplaneTags: {kuma.io/service: stock}}, ports: [{port: 8080, targetPort: 8080, name: "8080", appProtocol: http}]}}`)
		cp.Put(t, service)
	}
	providertest.Await(t, "the control plane generates the MeshService", func() bool { return kuma.Generated(service(t, cp).Labels) })
}

// service returns the stored MeshService, or the zero value.
func service(t *testing.T, cp providertest.ControlPlane) kuma.Resource {
	t.Helper()
	found, err := cp.Client.Get(t.Context(), kinds.MeshService, "shop", "stock")
	if err != nil && !store.IsNotFound(err) {
		t.Fatal(err)
	}
	return found
}

// TestGeneratedResourcesAreAdopted checks that a resource that the control plane
// generated does not prevent its creation, whether the plan sees it or not, and that the
// generator does not change it afterwards.
func TestGeneratedResourcesAreAdopted(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t, providertest.BeforeKuma3, providertest.Writes(kinds.Dataplane, kinds.MeshService))
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + generatedServices})
	c.Must(t, "apply", "-auto-approve")
	isAdopted := func() {
		t.Helper()
		cp.AwaitGenerator(t)
		c.PlanIsEmpty(t)
		if kuma.Generated(service(t, cp).Labels) {
			t.Error("the stored MeshService still belongs to the generator")
		}
	}

	awaitGeneratedService(t, cp)
	providertest.Write(t, filepath.Join(c.Dir, "service.tf"), ownService)
	if out := c.Must(t, "plan"); !strings.Contains(out, "Generated resource will be adopted") {
		t.Errorf("the plan does not announce the adoption:\n%s", out)
	}
	c.Must(t, "apply", "-auto-approve")
	isAdopted()

	c.Must(t, "destroy", "-auto-approve", "-target=kuma_mesh_service.stock")
	c.Must(t, "plan", "-out=plan")
	awaitGeneratedService(t, cp)
	c.Must(t, "apply", "plan")
	isAdopted()
	c.Must(t, "apply", "-auto-approve", "-replace=kuma_mesh_service.stock")
	isAdopted()

	providertest.Write(t, filepath.Join(c.Dir, "service.tf"), strings.Replace(ownService, `name = "stock"`, `name = "shelf"`, 1))
	c.Must(t, "apply", "-auto-approve")
	providertest.Write(t, filepath.Join(c.Dir, "service.tf"), ownService)
	c.Must(t, "plan", "-out=plan")
	awaitGeneratedService(t, cp)
	c.Must(t, "apply", "plan")
	isAdopted()
	c.Must(t, "destroy", "-auto-approve")
}
