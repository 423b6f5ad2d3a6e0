package managed_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestRejectedDeletionNamesTheResource checks the error about a mesh that has
// dataplanes, which the plan knows of and which still exist: Terraform shows no
// address when it destroys a resource.
func TestRejectedDeletionNamesTheResource(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t)
	typeName, config, _ := c.Config(t, "resource \"kuma_mesh\" \"shop\" {\n name = \"shop\"\n}\n")
	mesh := c.Create(t, typeName, config)
	web := kuma.Key{Type: "Dataplane", Mesh: "shop", Name: "web-1"}
	c.Put(t, kuma.Resource{Type: web.Type, Mesh: web.Mesh, Name: web.Name, Body: map[string]any{"networking": map[string]any{
		"address": "10.0.0.1", "inbound": []any{map[string]any{"port": 80, "tags": map[string]any{"kuma.io/service": "web"}}},
	}}})
	none := tftypes.NewValue(mesh.Value.Type(), nil)
	cp, err := store.Open(t.Context(), c.Client, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	destroyed, err := json.Marshal(map[string]string{web.String(): cp.Resources(kinds.Dataplane).Fingerprint(c.Stored(t, web))})
	if err != nil {
		t.Fatal(err)
	}
	private, err := json.Marshal(map[string][]byte{"destroyed": destroyed})
	if err != nil {
		t.Fatal(err)
	}
	_, diags := c.Apply(t, providertest.Change{TypeName: typeName, Config: none, Prior: mesh, Planned: providertest.Instance{Value: none, Private: private}})
	const want = `Mesh "shop" was not deleted. The control plane rejected the deletion: unable to delete mesh, there are still some dataplanes attached. A mesh can be deleted when it has no Dataplanes.`
	if said := providertest.Messages(diags); !strings.Contains(said, want) {
		t.Errorf("the deletion reports\n%s\nwant %s", said, want)
	}
}

// TestMessageNamesTheElementOfAList checks that a message about an element of a
// list contains its path: Terraform shows no line in a dynamic block.
func TestMessageNamesTheElementOfAList(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t, "shop")
	typeName, config, _ := c.Config(t, `resource "kuma_mesh_external_service" "pay" {
  name = "pay"
  mesh = "shop"
  spec {
    match {
      port     = 80
      protocol = "tcp"
    }
    endpoints {
      address = "10.0.0.1"
      port    = 70000
    }
  }
}`)
	const want = "spec.endpoints[0].port: "
	if said := providertest.Messages(c.Validate(t, typeName, config)); !strings.Contains(said, want) {
		t.Errorf("the validation reports\n%s\nwant %q", said, want)
	}
}
