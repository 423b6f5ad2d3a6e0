package managed_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// TestListedResourceIsThatOfAnImport lists all accepted documents of each kind, and
// imports each of them by the identity that it is listed with.
func TestListedResourceIsThatOfAnImport(t *testing.T) {
	t.Parallel()
	total := 0
	for _, k := range kinds.All() {
		c := providertest.NewCore(t, "default", "shop")
		for _, r := range providertest.CatalogExamples(t, k) {
			if r.Mesh != "" && r.Mesh != "default" && r.Mesh != "shop" {
				providertest.Put(t, c.Client, testworld.Resource(t, "type: Mesh\nname: "+r.Mesh+"\n"))
			}
			providertest.Put(t, c.Client, r)
		}
		stored, err := c.Client.List(t.Context(), k, "")
		testworld.NoError(t, err)
		typeName := tfschema.TypeName(k.Name)
		lists := map[string]map[string]tftypes.Value{
			typeName:        nil,
			"kuma_manifest": {"type": tftypes.NewValue(tftypes.String, k.Name)},
		}
		for typeName, arguments := range lists {
			listed := list(t, c, typeName, arguments, 0)
			if len(listed) != len(stored) {
				t.Errorf("%d resources of type %s are listed, want %d", len(listed), typeName, len(stored))
			}
			for _, l := range listed {
				if len(l.Diagnostics) > 0 { // without what is sensitive
					continue
				}
				got := providertest.Unpack(t, l.Resource, c.Schemas.ResourceSchemas[typeName].Block)
				if imported := c.Imports(t, typeName, "", l.Identity); !got.Equal(imported.Value) {
					t.Errorf("%s is listed as %s, and imported as %s", l.DisplayName, got, imported.Value)
				}
				total++
			}
		}
	}
	if total < 160 {
		t.Errorf("only %d resources were listed", total)
	}
}

func TestListedResourcesAreFiltered(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t, "shop", "bank")
	for _, r := range testworld.Resources(t, `
type: MeshService
mesh: shop
name: web-1
labels:
  team: a
spec:
  ports:
    - port: 80
---
type: MeshService
mesh: shop
name: web-2
spec:
  ports:
    - port: 80
---
type: MeshService
mesh: bank
name: web-3
labels:
  kuma.io/managed-by: meshservice-generator
spec:
  ports:
    - port: 80
`) {
		providertest.Put(t, c.Client, r)
	}
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	for name, test := range map[string]struct {
		config map[string]tftypes.Value
		limit  int64
		want   []string
	}{
		"all":       {nil, 0, []string{"web-3", "web-1", "web-2"}},
		"mesh":      {map[string]tftypes.Value{"mesh": text("shop")}, 0, []string{"web-1", "web-2"}},
		"pattern":   {map[string]tftypes.Value{"name_pattern": text("web-[13]")}, 0, []string{"web-3", "web-1"}},
		"labels":    {map[string]tftypes.Value{"labels": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"team": text("a")})}, 0, []string{"web-1"}},
		"origin":    {map[string]tftypes.Value{"origin": text("global")}, 0, nil},
		"unmanaged": {map[string]tftypes.Value{"unmanaged": tftypes.NewValue(tftypes.Bool, true)}, 0, []string{"web-1", "web-2"}},
		"managed":   {map[string]tftypes.Value{"unmanaged": tftypes.NewValue(tftypes.Bool, false)}, 0, []string{"web-3"}},
		"limit":     {nil, 2, []string{"web-3", "web-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, l := range list(t, c, "kuma_mesh_service", test.config, test.limit) {
				values := map[string]tftypes.Value{}
				testworld.NoError(t, providertest.Unpack(t, l.Resource, c.Schemas.ResourceSchemas["kuma_mesh_service"].Block).As(&values))
				var n string
				testworld.NoError(t, values["name"].As(&n))
				got = append(got, n)
			}
			testworld.Equal(t, "listed", test.want, got)
		})
	}
}

// TestInvalidFilterListsNothing checks that a filter that cannot be read is an error
// instead of being ignored.
func TestInvalidFilterListsNothing(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t, "shop")
	labels := tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"team": tftypes.NewValue(tftypes.String, nil)})
	for typeName, arguments := range map[string]map[string]tftypes.Value{
		"kuma_mesh":     {"labels": labels},
		"kuma_manifest": {"labels": labels, "type": tftypes.NewValue(tftypes.String, "Mesh")},
	} {
		results := tryList(t, c, typeName, arguments, 0)
		if len(results) != 1 || !providertest.HasErrors(results[0].Diagnostics) {
			t.Errorf("%s: %d resources are listed, want an error", typeName, len(results))
		}
	}
}

// TestListOfAMissingMesh checks that the error names the mesh instead of a request.
func TestListOfAMissingMesh(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t, "shop")
	results := tryList(t, c, "kuma_mesh_timeout", map[string]tftypes.Value{"mesh": tftypes.NewValue(tftypes.String, "shpo")}, 0)
	if len(results) != 1 || len(results[0].Diagnostics) != 1 || results[0].Diagnostics[0].Detail != `The control plane has no mesh "shpo". Check the name.` {
		t.Errorf("got %v", results)
	}
}

// TestManifestsAreListedWithoutSecrets checks that listed manifests contain no
// secrets, which generated configuration would contain too.
func TestManifestsAreListedWithoutSecrets(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t, "shop")
	for _, r := range testworld.Resources(t, `
type: Secret
mesh: shop
name: key
data: c2VjcmV0
---
type: MeshExternalService
mesh: shop
name: payments
spec:
  match:
    type: HostnameGenerator
    port: 443
    protocol: tcp
  endpoints:
    - address: payments.example.com
      port: 443
  tls:
    enabled: true
    verification:
      clientCert:
        secret: certificate
      clientKey:
        inline: c2VjcmV0
`) {
		providertest.Put(t, c.Client, r)
	}
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	for kind, want := range map[string]string{
		"Secret":              "",
		"MeshTimeouts":        `Did you mean "MeshTimeout"?`,
		"MeshExternalService": "",
	} {
		listed := tryList(t, c, "kuma_manifest", map[string]tftypes.Value{"type": text(kind)}, 0)
		if len(listed) != 1 || (len(listed[0].Diagnostics) > 0) != (want != "") {
			t.Fatalf("%s is listed as %v", kind, listed)
		}
		if got := providertest.Messages(listed[0].Diagnostics); !strings.Contains(fmt.Sprint(got), want) {
			t.Errorf("%s is listed with %q, want %q", kind, got, want)
		}
		if r := listed[0].Resource; r != nil && strings.Contains(string(r.MsgPack), "c2VjcmV0") {
			t.Errorf("%s is listed with its secret", kind)
		}
	}
}

// TestListExamples reads the examples as Terraform does. Each lists the
// existing resource, and none of a missing mesh.
func TestListExamples(t *testing.T) {
	t.Parallel()
	kindOf := map[string]def.Kind{"kuma_manifest": kinds.MeshTimeout}
	for _, k := range kinds.All() {
		kindOf[tfschema.TypeName(k.Name)] = k
	}
	for typeName, k := range kindOf {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCore(t, "shop")
			for _, r := range providertest.CatalogExamples(t, k)[:1] {
				if r.Mesh != "" {
					r.Mesh = "shop"
				}
				providertest.Put(t, c.Client, r)
			}
			text := testworld.Text(t, testworld.Path("examples", "list-resources", typeName, "list-resource.tfquery.hcl"))
			file, diags := hclsyntax.ParseConfig([]byte(text), "list-resource.tfquery.hcl", hcl.InitialPos)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			block := file.Body.(*hclsyntax.Body).Blocks[0]
			if block.Type != "list" || block.Labels[0] != typeName {
				t.Fatalf("the block is %s %v", block.Type, block.Labels)
			}
			config, diags := providertest.DecodeBody(t, block.Body.Blocks[0].Body, c.Schemas.ListResourceSchemas[typeName].Block)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			var arguments map[string]tftypes.Value
			testworld.NoError(t, config.As(&arguments))
			if len(list(t, c, typeName, arguments, 0)) == 0 {
				t.Error("nothing is listed")
			}
		})
	}
}

// list returns the results of a list block, including the resources.
func list(t *testing.T, c providertest.Core, typeName string, arguments map[string]tftypes.Value, limit int64) []tfprotov6.ListResourceResult {
	t.Helper()
	results := tryList(t, c, typeName, arguments, limit)
	for _, result := range results {
		if providertest.HasErrors(result.Diagnostics) {
			t.Fatal(providertest.Messages(result.Diagnostics))
		}
	}
	return results
}

// tryList does the same, and returns problems with the results.
func tryList(t *testing.T, c providertest.Core, typeName string, arguments map[string]tftypes.Value, limit int64) []tfprotov6.ListResourceResult {
	t.Helper()
	block := c.Schemas.ListResourceSchemas[typeName].Block
	values := map[string]tftypes.Value{}
	for _, a := range block.Attributes {
		values[a.Name] = tftypes.NewValue(a.ValueType(), nil)
	}
	maps.Copy(values, arguments)
	config := providertest.Pack(t, tftypes.NewValue(block.ValueType(), values))
	server := c.Server.(tfprotov6.ListResourceServer)
	valid, err := server.ValidateListResourceConfig(t.Context(), &tfprotov6.ValidateListResourceConfigRequest{TypeName: typeName, Config: config})
	if err != nil || len(valid.Diagnostics) > 0 {
		t.Fatal(err, providertest.Messages(valid.Diagnostics))
	}
	stream, err := server.ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: typeName, Config: config, IncludeResource: true, Limit: limit})
	testworld.NoError(t, err)
	return slices.Collect(stream.Results)
}

// TestQueryGeneratesConfiguration lists all accepted documents of all kinds with
// `terraform query`, and plans the configuration that it generates.
func TestQueryGeneratesConfiguration(t *testing.T) {
	t.Parallel()
	c := providertest.NewCLI(t, map[string]string{})
	c.NeedQuery(t)
	cp := providertest.NewEmbedded(t) // the documents would replace what a real one has in its mesh "default"
	_, documents := catalogConfiguration(t)
	imports(t, cp, documents, false, false)
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), providertest.RequiredProvider+strings.Replace(cp.Config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1))
	types := map[string]bool{}
	for _, r := range documents {
		types[configuration.ResourceType(r)] = true
	}
	var query strings.Builder
	for typeName := range types {
		fmt.Fprintf(&query, "list %q \"all\" {\n  provider = kuma\n  include_resource = true\n  limit = 1000\n}\n", typeName)
	}
	providertest.Write(t, filepath.Join(c.Dir, "all.tfquery.hcl"), query.String())
	c.Must(t, "query", "-generate-config-out=generated.tf")
	imports := len(regexp.MustCompile(`(?m)^import `).FindAllString(testworld.Text(t, filepath.Join(c.Dir, "generated.tf")), -1))
	if imports < len(documents) {
		t.Errorf("the generated configuration imports %d resources, and there are %d", imports, len(documents))
	}
	out := c.Must(t, "plan")
	if want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", imports); !strings.Contains(out, want) {
		t.Errorf("want %q in\n%s", want, out)
	}
}
