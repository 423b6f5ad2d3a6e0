package direct

import (
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// object is what the framework does with values of an object besides converting them,
// according to its schema.
type object struct {
	validated []string // attributes and blocks with validators, or with a type of their own
	planned   []string // attributes with a default or plan modifiers
	nested    map[string]object
}

// frameworkTypes is the package of the types of the framework, which do not validate.
var frameworkTypes = reflect.TypeFor[basetypes.ObjectType]().PkgPath()

// objectOf reads the schema of an object. The kinds of attributes and blocks have the same
// fields, but no common interface for them.
func objectOf(attributes map[string]schema.Attribute, blocks map[string]schema.Block) object {
	o := object{nested: map[string]object{}}
	for name, a := range attributes {
		o.add(name, a)
		if n, ok := a.(schema.NestedAttribute); ok {
			o.add(name, n.GetNestedObject())
			o.nested[name] = objectOf(tfschema.Converted[schema.Attribute](n.GetNestedObject().GetAttributes()), nil)
		}
	}
	for name, b := range blocks {
		o.add(name, b)
		o.add(name, b.GetNestedObject())
		o.nested[name] = objectOf(tfschema.Converted[schema.Attribute](b.GetNestedObject().GetAttributes()),
			tfschema.Converted[schema.Block](b.GetNestedObject().GetBlocks()))
	}
	return o
}

// add reads the fields of an attribute or a block, or of the object in it.
func (o *object) add(name string, of any) {
	v := reflect.Indirect(reflect.ValueOf(of))
	set := func(field string) bool {
		f := v.FieldByName(field)
		return f.IsValid() && (f.Kind() == reflect.Slice && f.Len() > 0 || f.Kind() == reflect.Interface && !f.IsNil())
	}
	ownType := set("CustomType") && v.FieldByName("CustomType").Elem().Type().PkgPath() != frameworkTypes
	if set("Validators") || ownType {
		o.validated = append(o.validated, name)
	}
	if set("Default") || set("PlanModifiers") {
		o.planned = append(o.planned, name)
	}
}

// validates reports whether a value sets an attribute or block with validators. Those of
// the provider accept null, which a test checks.
func (o object) validates(v tftypes.Value) bool {
	if v.IsNull() || !v.IsKnown() {
		return false
	}
	values, err := tfvalue.Attributes(v)
	if err != nil || slices.ContainsFunc(o.validated, func(name string) bool { return !values[name].IsNull() }) {
		return true
	}
	for name, nested := range o.nested {
		if slices.ContainsFunc(elements(values[name]), nested.validates) {
			return true
		}
	}
	return false
}

// elements returns the elements of a value that is a collection, or else the value.
func elements(v tftypes.Value) []tftypes.Value {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	var list []tftypes.Value
	if v.As(&list) == nil {
		return list
	}
	return []tftypes.Value{v}
}

// plans reports whether the framework plans an attribute that is not one of the given ones
// of the whole resource.
func (o object) plans(known ...string) bool {
	if slices.ContainsFunc(o.planned, func(name string) bool { return !slices.Contains(known, name) }) {
		return true
	}
	for _, nested := range o.nested {
		if nested.plans() {
			return true
		}
	}
	return false
}
