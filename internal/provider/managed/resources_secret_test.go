package managed_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

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
			c.Put(t, r)
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
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := document.(tftypes.Value).As(&text); err != nil {
		t.Fatal(err)
	}
	return text
}
