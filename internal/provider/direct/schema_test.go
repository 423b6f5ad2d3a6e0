package direct

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// TestSchemasHaveOnlyWhatIsHandled checks what these answers assume about the schemas of kinds: only
// free-form JSON and names of empty lists have validators, which accept null, and only the type, the
// mesh and the name of a resource have defaults or plan modifiers.
func TestSchemasHaveOnlyWhatIsHandled(t *testing.T) {
	t.Parallel()
	found := 0
	var walk func(o def.Object, attributes map[string]schema.Attribute, blocks map[string]schema.Block)
	walk = func(o def.Object, attributes map[string]schema.Attribute, blocks map[string]schema.Block) {
		fields := map[string]def.Field{}
		for _, f := range o {
			fields[tfschema.AttributeName(f.Name)] = f
		}
		for name, a := range attributes {
			if sets(a, "Default", "PlanModifiers") && (o != nil || !slices.Contains([]string{"type", "mesh", "name"}, name)) {
				t.Errorf("%s: the framework plans it", name)
			}
			if _, nested := a.(schema.NestedAttribute); nested {
				t.Errorf("%s: nested attributes are not handled", name)
			}
			if sets(a, "Validators") {
				found++
				set := map[string]tftypes.Value{name: tftypes.NewValue(tftypes.String, "")}
				if !hasValidators(def.Object{fields[name]}, set) || !acceptsNull(t, a) {
					t.Errorf("%s: validators of %T are not handled", name, a)
				}
			}
		}
		for name, b := range blocks {
			nested := b.GetNestedObject()
			if sets(b, "Validators", "PlanModifiers") || sets(nested, "Validators", "PlanModifiers") {
				t.Errorf("%s: validators and plan modifiers of blocks are not handled", name)
			}
			walk(def.ObjectOf(fields[name].Type), tfschema.Converted[schema.Attribute](nested.GetAttributes()), tfschema.Converted[schema.Block](nested.GetBlocks()))
		}
	}
	for _, k := range kinds.All() {
		s := tfschema.Resource(k)
		own := map[string]schema.Attribute{}
		for _, name := range []string{"type", "mesh", "name"} {
			if a, ok := s.Attributes[name]; ok {
				own[name] = a
				delete(s.Attributes, name)
			}
		}
		walk(nil, own, nil)
		walk(k.Root(), s.Attributes, s.Blocks)
	}
	if found < 50 {
		t.Errorf("only %d validators found", found)
	}
}

// sets reports whether an attribute or a block sets one of some fields, which have no common
// interface, or has a type that is none of the framework, which may validate.
func sets(of any, names ...string) bool {
	v := reflect.Indirect(reflect.ValueOf(of))
	isSet := func(name string) bool {
		f := v.FieldByName(name)
		return f.IsValid() && (f.Kind() == reflect.Slice && f.Len() > 0 || f.Kind() == reflect.Interface && !f.IsNil())
	}
	ownType := isSet("CustomType") && v.FieldByName("CustomType").Elem().Type().PkgPath() != reflect.TypeFor[basetypes.ObjectType]().PkgPath()
	return slices.ContainsFunc(names, isSet) || slices.Contains(names, "Validators") && ownType
}

// acceptsNull reports whether the validators of an attribute accept that it is not set.
func acceptsNull(t *testing.T, a schema.Attribute) bool {
	t.Helper()
	errors := 0
	switch a := a.(type) {
	case schema.StringAttribute:
		for _, v := range a.Validators {
			resp := validator.StringResponse{}
			v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("a"), ConfigValue: types.StringNull()}, &resp)
			errors += len(resp.Diagnostics)
		}
	case schema.SetAttribute:
		for _, v := range a.Validators {
			resp := validator.SetResponse{}
			v.ValidateSet(t.Context(), validator.SetRequest{Path: path.Root("a"), ConfigValue: types.SetNull(types.StringType)}, &resp)
			errors += len(resp.Diagnostics)
		}
	default:
		t.Errorf("validators of %T are not checked here", a)
	}
	return errors == 0
}
