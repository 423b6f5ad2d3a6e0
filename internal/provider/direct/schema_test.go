package direct

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// TestAdditionsToTheSchema checks that what a user adds to a schema is left to the
// framework.
func TestAdditionsToTheSchema(t *testing.T) {
	t.Parallel()
	plain := schema.StringAttribute{Optional: true}
	validated := schema.StringAttribute{Optional: true, Validators: []validator.String{tfschema.OneOf("a")}}
	typ := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"x": tftypes.String}}
	config := tftypes.NewValue(typ, map[string]tftypes.Value{"x": tftypes.NewValue(tftypes.String, "b")})
	outer := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"list": tftypes.List{ElementType: typ}}}
	inList := tftypes.NewValue(outer, map[string]tftypes.Value{"list": tftypes.NewValue(tftypes.List{ElementType: typ}, []tftypes.Value{config})})
	block := func(a schema.Attribute) map[string]schema.Block {
		return map[string]schema.Block{"list": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{"x": a}}}}
	}
	for name, test := range map[string]struct {
		object           object
		config           tftypes.Value
		validates, plans bool
	}{
		"nothing":               {objectOf(map[string]schema.Attribute{"x": plain}, nil), config, false, false},
		"validator":             {objectOf(map[string]schema.Attribute{"x": validated}, nil), config, true, false},
		"validator in a block":  {objectOf(nil, block(validated)), inList, true, false},
		"nothing in a block":    {objectOf(nil, block(plain)), inList, false, false},
		"default":               {objectOf(map[string]schema.Attribute{"x": schema.StringAttribute{Default: stringdefault.StaticString("a")}}, nil), config, false, true},
		"plan modifier":         {objectOf(map[string]schema.Attribute{"x": schema.StringAttribute{PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}}}, nil), config, false, true},
		"plan modifier in list": {objectOf(nil, block(schema.StringAttribute{PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}})), inList, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if validates, plans := test.object.validates(test.config), test.object.plans("name"); validates != test.validates || plans != test.plans {
				t.Errorf("validates %t, plans %t, want %t and %t", validates, plans, test.validates, test.plans)
			}
		})
	}
}

// TestValidatorsAcceptNull checks the assumption that validators of the schemas do not
// concern attributes that are not set.
func TestValidatorsAcceptNull(t *testing.T) {
	t.Parallel()
	found := 0
	var walk func(attributes map[string]schema.Attribute, blocks map[string]schema.Block)
	walk = func(attributes map[string]schema.Attribute, blocks map[string]schema.Block) {
		for name, a := range attributes {
			switch a := a.(type) {
			case schema.StringAttribute:
				for _, v := range a.Validators {
					found++
					resp := validator.StringResponse{}
					v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root(name), ConfigValue: types.StringNull()}, &resp)
					if len(resp.Diagnostics) > 0 {
						t.Errorf("%s: %v", name, resp.Diagnostics)
					}
				}
			case schema.SetAttribute:
				for _, v := range a.Validators {
					found++
					resp := validator.SetResponse{}
					v.ValidateSet(t.Context(), validator.SetRequest{Path: path.Root(name), ConfigValue: types.SetNull(types.StringType)}, &resp)
					if len(resp.Diagnostics) > 0 {
						t.Errorf("%s: %v", name, resp.Diagnostics)
					}
				}
			default:
				if o := objectOf(map[string]schema.Attribute{name: a}, nil); slices.Contains(o.validated, name) {
					t.Errorf("%s: validators of %T are not checked here", name, a)
				}
			}
		}
		for name, b := range blocks {
			if o := objectOf(nil, map[string]schema.Block{name: b}); slices.Contains(o.validated, name) {
				t.Errorf("%s: validators of blocks are not checked here", name)
			}
			nested := b.GetNestedObject()
			walk(tfschema.Converted[schema.Attribute](nested.GetAttributes()), tfschema.Converted[schema.Block](nested.GetBlocks()))
		}
	}
	for _, k := range kinds.All() {
		s := tfschema.Resource(k)
		walk(s.Attributes, s.Blocks)
	}
	if found < 50 {
		t.Errorf("only %d validators found", found)
	}
}
