package tfvalue

import (
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// edit returns a value of a resource for one of a field at a path, or of an element of it, and the
// value that another state of the resource has there, which is null if it has none.
type edit func(f def.Field, t def.Type, at tree.Path, v, other tftypes.Value) (tftypes.Value, error)

// fields edits the values of the fields of an object, and of what is nested in them.
func (e edit) fields(o def.Object, at tree.Path, values, others map[string]tftypes.Value) (err error) {
	for _, f := range o {
		name := tfschema.AttributeName(f.Name)
		v, ok := values[name]
		if !ok {
			continue
		}
		if values[name], err = e.value(f, f.Type, at.Child(f.Name), v, OrNull(others[name], v.Type())); err != nil {
			return err
		}
	}
	return nil
}

// value edits the parts of an object or a list, and any other value as a whole.
func (e edit) value(f def.Field, t def.Type, at tree.Path, v, other tftypes.Value) (tftypes.Value, error) {
	object, isObject := t.(def.Object)
	list, isList := t.(def.List)
	switch {
	case f.Sensitive || !isObject && !isList:
		return e(f, t, at, v, other)
	case v.IsNull() || !v.IsKnown() || !other.IsKnown():
		return v, nil
	case isObject:
		values, errValues := Attributes(v)
		others, errOthers := Attributes(other)
		if err := errors.Join(errValues, errOthers); err != nil {
			return v, err
		}
		err := e.fields(object, at, values, others)
		return tftypes.NewValue(v.Type(), values), err
	}
	var elements, others []tftypes.Value
	if err := errors.Join(v.As(&elements), other.As(&others)); err != nil {
		return v, err
	}
	elements = slices.Clone(elements)
	for i, element := range elements {
		before := tftypes.NewValue(element.Type(), nil)
		if i < len(others) {
			before = others[i]
		}
		var err error
		if elements[i], err = e.value(f, list.Elem, at.Child(i), element, before); err != nil {
			return v, err
		}
	}
	return tftypes.NewValue(v.Type(), elements), nil
}
