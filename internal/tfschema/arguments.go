package tfschema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Validators are the validators of arguments, by name.
type Validators map[string]validator.Describer

// ArgumentsOf returns the attributes and blocks for a struct that the framework reads a configuration
// into: a block for each pointer to a struct. Attributes are optional, unless the tag schema says
// required or computed; it may also say sensitive, and list for strings that are not a set. describe
// returns the description of a field of a type of struct.
func ArgumentsOf(t reflect.Type, describe func(typeName, key string) string, v Validators) (map[string]schema.Attribute,
	map[string]schema.Block,
) {
	attributes, blocks := map[string]schema.Attribute{}, map[string]schema.Block{}
	for _, f := range reflect.VisibleFields(t) {
		name := f.Tag.Get("tfsdk")
		if name == "" {
			continue // an embedded struct, whose fields are visible
		}
		doc := describe(ownerOf(t, f).Name(), name)
		if f.Type.Kind() == reflect.Pointer {
			nested, _ := ArgumentsOf(f.Type.Elem(), describe, v)
			blocks[name] = schema.SingleNestedBlock{MarkdownDescription: doc, Attributes: nested}
			continue
		}
		attributes[name] = argument(f, doc, v[name])
	}
	return attributes, blocks
}

// ownerOf returns the type that declares a visible field of a struct.
func ownerOf(t reflect.Type, f reflect.StructField) reflect.Type {
	for _, i := range f.Index[:len(f.Index)-1] {
		t = t.Field(i).Type
	}
	return t
}

func argument(f reflect.StructField, doc string, v validator.Describer) schema.Attribute {
	says := strings.Split(f.Tag.Get("schema"), ",")
	required, computed, sensitive := slices.Contains(says, "required"), slices.Contains(says, "computed"), slices.Contains(says, "sensitive")
	optional := !required && !computed
	value := reflect.Zero(f.Type).Interface()
	if _, texts := value.([]string); texts && slices.Contains(says, "list") {
		value = types.List{}
	}
	switch value.(type) {
	case types.String:
		return schema.StringAttribute{
			Required: required, Optional: optional, Computed: computed, Sensitive: sensitive, MarkdownDescription: doc,
			Validators: as[validator.String](v),
		}
	case types.Bool:
		return schema.BoolAttribute{Optional: optional, MarkdownDescription: doc}
	case types.Number: // an integer attribute would report a fraction as an error of the provider
		return schema.NumberAttribute{Optional: optional, MarkdownDescription: doc}
	case types.Dynamic:
		return schema.DynamicAttribute{Optional: optional, MarkdownDescription: doc}
	case types.List:
		return schema.ListAttribute{
			Optional: optional, ElementType: types.StringType, MarkdownDescription: doc, Validators: as[validator.List](v),
		}
	case types.Set, []string:
		return schema.SetAttribute{Required: required, Optional: optional, ElementType: types.StringType, MarkdownDescription: doc}
	case types.Map, map[string]string, map[string][]string:
		var element attr.Type = types.StringType
		if f.Type == reflect.TypeFor[map[string][]string]() {
			element = types.ListType{ElemType: types.StringType}
		}
		return schema.MapAttribute{
			Optional: optional, Sensitive: sensitive, ElementType: element, MarkdownDescription: doc, Validators: as[validator.Map](v),
		}
	default:
		panic(fmt.Sprintf("tfschema: %s has no argument", f.Type))
	}
}

// Converted returns attributes or blocks as those of another package of the framework, all of which have
// the same interfaces.
func Converted[To, From any](all map[string]From) map[string]To {
	out := make(map[string]To, len(all))
	for name, e := range all {
		out[name], _ = any(e).(To)
	}
	return out
}

// as returns a validator of a type as a list, nil for another one.
func as[V any](v validator.Describer) []V {
	if of, ok := v.(V); ok {
		return []V{of}
	}
	return nil
}
