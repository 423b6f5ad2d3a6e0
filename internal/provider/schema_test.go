package provider_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// TestAttributeNames compares all names of the provider with the published
// ones: a name that changes or is removed breaks configurations.
func TestAttributeNames(t *testing.T) {
	t.Parallel()
	server := provider.NewServer("test", providertest.Impatient)()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	testworld.NoError(t, err)
	for _, d := range schemas.Diagnostics { // the diagnostics of the framework about a schema
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	names := blockNames("provider", schemas.Provider.Block)
	for name, s := range schemas.ResourceSchemas {
		names = append(names, blockNames("resource "+name, s.Block)...)
	}
	for name, s := range schemas.DataSourceSchemas {
		names = append(names, blockNames("data "+name, s.Block)...)
	}
	for name, s := range schemas.EphemeralResourceSchemas {
		names = append(names, blockNames("ephemeral "+name, s.Block)...)
	}
	for name, a := range schemas.ActionSchemas {
		names = append(names, blockNames("action "+name, a.Schema.Block)...)
	}
	slices.Sort(names)
	got := strings.Join(names, "\n") + "\n"
	testworld.Want(t, filepath.Join("testdata", "attributes.txt"), got)
}

// TestDescriptionsOfArgumentsAreUsed checks that every description of an argument is in a schema. That
// every argument has one is checked when its schema is built.
func TestDescriptionsOfArgumentsAreUsed(t *testing.T) {
	t.Parallel()
	schemas, err := provider.NewServer("test", providertest.Impatient)().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	testworld.NoError(t, err)
	all := phrase.JSON(schemas)
	for _, element := range strings.Split(testworld.Text(t, filepath.Join("report", "arguments.md")), "\n- `")[1:] {
		argument, _, _ := strings.Cut(element, "\n##")
		name, text, _ := strings.Cut(argument, "`:")
		if described := phrase.JSON(strings.Join(strings.Fields(text), " ")); !strings.Contains(all, described) {
			t.Errorf("no schema has the description of %s: %s", name, described)
		}
	}
}

// TestSchemasCallNothingDeprecated checks that no schema marks anything as
// deprecated: Terraform omits that from generated configuration, so an import
// would lose it.
func TestSchemasCallNothingDeprecated(t *testing.T) {
	t.Parallel()
	schemas, err := provider.NewServer("test", providertest.Impatient)().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	testworld.NoError(t, err)
	var check func(at string, b *tfprotov6.SchemaBlock)
	check = func(at string, b *tfprotov6.SchemaBlock) {
		if b.Deprecated {
			t.Errorf("%s is deprecated", at)
		}
		for _, a := range b.Attributes {
			if a.Deprecated {
				t.Errorf("%s.%s is deprecated", at, a.Name)
			}
		}
		for _, n := range b.BlockTypes {
			check(at+"."+n.TypeName, n.Block)
		}
	}
	for name, s := range schemas.ResourceSchemas {
		check(name, s.Block)
	}
}

func blockNames(at string, b *tfprotov6.SchemaBlock) []string {
	names := attributeNames(at, b.Attributes)
	for _, n := range b.BlockTypes {
		names = append(names, blockNames(at+"."+n.TypeName, n.Block)...)
	}
	return names
}

func attributeNames(at string, attributes []*tfprotov6.SchemaAttribute) []string {
	var names []string
	for _, a := range attributes {
		if a.NestedType != nil {
			names = append(names, attributeNames(at+"."+a.Name, a.NestedType.Attributes)...)
			continue
		}
		names = append(names, at+"."+a.Name+" "+a.Type.String())
	}
	return names
}

// TestImportByIdentity calls the provider as Terraform 1.12 does.
func TestImportByIdentity(t *testing.T) {
	t.Parallel()
	server := provider.NewServer("test", providertest.Impatient)()
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			attributes := map[string]tftypes.Type{"name": tftypes.String}
			values := map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.String, "web")}
			if k.Scope == 0 {
				attributes["mesh"] = tftypes.String
				values["mesh"] = tftypes.NewValue(tftypes.String, "shop")
			}
			typ := tftypes.Object{AttributeTypes: attributes}
			identity, err := tfprotov6.NewDynamicValue(typ, tftypes.NewValue(typ, values))
			testworld.NoError(t, err)
			resp, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
				TypeName: tfschema.TypeName(k.Name), Identity: &tfprotov6.ResourceIdentityData{IdentityData: &identity},
			})
			if err != nil || len(resp.Diagnostics) > 0 || len(resp.ImportedResources) != 1 {
				t.Fatalf("import: %v %v", err, resp.Diagnostics)
			}
			imported := resp.ImportedResources[0]
			got, err := imported.Identity.IdentityData.Unmarshal(typ)
			if err != nil || !got.Equal(tftypes.NewValue(typ, values)) {
				t.Errorf("identity %v (%v), want %v", got, err, values)
			}
			state, err := imported.State.Unmarshal(tfschema.Resource(k).Type().TerraformType(t.Context()))
			testworld.NoError(t, err)
			var stored map[string]tftypes.Value
			var name string
			if err := state.As(&stored); err != nil || stored["name"].As(&name) != nil || name != "web" {
				t.Errorf("state names %q (%v)", name, err)
			}
		})
	}
}
