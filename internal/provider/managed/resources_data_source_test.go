package managed_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestResources(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Writes(kinds.MeshService))
	names := func(names ...string) knownvalue.Check {
		var checks []knownvalue.Check
		for _, n := range names {
			checks = append(checks, knownvalue.ObjectPartial(map[string]knownvalue.Check{"name": knownvalue.StringExact(n)}))
		}
		return knownvalue.ListExact(checks)
	}
	listed := func(name string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.kuma_resources."+name, tfjsonpath.New("resources"), want)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		Steps: []resource.TestStep{{
			Config: cp.Config + `
resource "kuma_mesh" "listed" {
  name = "listed"
}
resource "kuma_mesh_service" "a" {
  mesh   = kuma_mesh.listed.name
  name   = "cart-a"
  labels = { team = "x" }
  spec {
    ports {
      port = 80
    }
  }
}
resource "kuma_mesh_service" "b" {
  mesh = kuma_mesh.listed.name
  name = "pay-b"
  spec {
    ports {
      port = 80
    }
  }
}
data "kuma_resources" "all" {
  type       = "MeshService"
  mesh       = "listed"
  depends_on = [kuma_mesh_service.a, kuma_mesh_service.b]
}
data "kuma_resources" "by_name" {
  type          = "MeshService"
  mesh          = "listed"
  name_pattern  = "pay*"
  depends_on    = [kuma_mesh_service.a, kuma_mesh_service.b]
}
data "kuma_resources" "by_label" {
  type       = "MeshService"
  mesh       = "listed"
  labels     = { team = "x", "kuma.io/mesh" = "listed" }
  depends_on = [kuma_mesh_service.a, kuma_mesh_service.b]
}`,
			ConfigStateChecks: []statecheck.StateCheck{
				listed("all", names("cart-a", "pay-b")), listed("by_name", names("pay-b")), listed("by_label", names("cart-a")),
			},
		}},
	})
}

func TestResourcesMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, "data \"kuma_resources\" \"test\" {\n  %s\n}\n", map[string]providertest.Mistake{
		"unknown kind":              {`type = "MeshTimeuot"`, `Unsupported kind .* Did you mean "MeshTimeout"\?`},
		"missing state":             {`state_file = "nowhere.tfstate"`, `Cannot read the state .* state_file = "nowhere.tfstate"`},
		"not a state":               {`state_file = "/dev/null"`, `Not a state of Terraform .* state_file = "/dev/null"`},
		"unknown attribute":         {`include = ["configurations"]`, `"configurations" is not valid. Valid values are "configuration" and "files"`},
		"unknown mesh":              {"type = \"MeshTimeout\"\n mesh = \"nowhere\"", `Mesh not found .* mesh = "nowhere"`},
		"rewriting without a mesh":  {`kuma_version = "3.0"`, `Missing mesh`},
		"rewriting of a kind":       {"kuma_version = \"3.0\"\n mesh = \"shop\"\n type = \"MeshTimeout\"", `Conflicting arguments .* type = "MeshTimeout"`},
		"rewriting for 2.14":        {"kuma_version = \"2.14\"\n mesh = \"shop\"", `Valid values: 3.0`},
		"mesh of a kind without it": {"type = \"Mesh\"\n mesh = \"shop\"", `Kind outside meshes`},
	})
}

// TestListedDocumentShowsPrivateKey reads with kuma_resources what holds a key:
// the list is not sensitive, and shows in plans, outputs and logs.
func TestListedDocumentShowsPrivateKey(t *testing.T) {
	t.Parallel()
	const key, encoded = "7341052986", "NzM0MTA1Mjk4Ng=="
	for kind, test := range map[string]struct{ text, keeps string }{
		"Secret":              {`{type: Secret, mesh: shop, name: test, data: ` + encoded + `}`, ``},
		"GlobalSecret":        {`{type: GlobalSecret, name: test, data: ` + encoded + `}`, ``},
		"Mesh":                {`{type: Mesh, name: test, mtls: {skipValidation: true, backends: [{name: ca, type: provided, conf: {cert: {inlineString: public}, key: {inlineString: "7341052986"}}}]}}`, `"cert":{"inlineString":"public"}`},
		"MeshExternalService": {`{type: MeshExternalService, mesh: shop, name: test, spec: {match: {type: HostnameGenerator, port: 80, protocol: http}, endpoints: [{address: a.example, port: 80}], tls: {enabled: true, verification: {clientCert: {secret: public}, clientKey: {inline: ` + encoded + `}}}}}`, `"clientCert":{"secret":"public"}`},
		"MeshGateway":         {`{type: MeshGateway, mesh: shop, name: test, selectors: [{match: {kuma.io/service: web}}], conf: {listeners: [{port: 443, protocol: HTTPS, tls: {mode: TERMINATE, certificates: [{inlineString: "7341052986"}]}}]}}`, `"mode":"TERMINATE"`},
		"MeshIdentity":        {`{type: MeshIdentity, mesh: shop, name: test, spec: {provider: {type: Bundled, bundled: {ca: {certificate: {type: InsecureInline, insecureInline: {value: public}}, privateKey: {type: InsecureInline, insecureInline: {value: "7341052986"}}}}}}}`, `"insecureInline":{"value":"public"}`},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCore(t, "shop")
			r := testworld.Resource(t, test.text)
			providertest.Put(t, c.Client, r)
			listed := resources(t, c, kind, r.Name)
			if !strings.Contains(listed, test.keeps) || !strings.Contains(listed, `"name":"test"`) {
				t.Errorf("listed is %s, want %s in it", listed, test.keeps)
			}
			if strings.Contains(listed, key) || strings.Contains(listed, encoded) {
				t.Errorf("listed is %s, which shows the key", listed)
			}
		})
	}
}

// resources returns the document of one resource, as kuma_resources lists it.
func resources(t *testing.T, c providertest.Core, kind, name string) string {
	t.Helper()
	block := c.Schemas.DataSourceSchemas["kuma_resources"].Block
	values := map[string]tftypes.Value{}
	for _, a := range block.Attributes {
		values[a.Name] = tftypes.NewValue(a.ValueType(), nil)
	}
	values["type"] = tftypes.NewValue(tftypes.String, kind)
	values["name_pattern"] = tftypes.NewValue(tftypes.String, name)
	resp, err := c.Server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "kuma_resources", Config: providertest.Pack(t, tftypes.NewValue(block.ValueType(), values))})
	if err != nil || providertest.HasErrors(resp.Diagnostics) {
		t.Fatalf("%v %s", err, providertest.Messages(resp.Diagnostics))
	}
	document, _, err := tftypes.WalkAttributePath(providertest.Unpack(t, resp.State, block), tftypes.NewAttributePath().WithAttributeName("resources").WithElementKeyInt(0).WithAttributeName("document"))
	testworld.NoError(t, err)
	var text string
	testworld.NoError(t, document.(tftypes.Value).As(&text))
	return text
}
