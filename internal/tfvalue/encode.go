package tfvalue

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Encode turns the value of a resource into a document of its kind in universal
// format. Nulls are omitted, and unknown values become [tree.Unknown]. It fails
// if v is not a value of the schema of the kind.
func Encode(k def.Kind, v tftypes.Value) (map[string]any, error) {
	root, err := Attributes(v)
	if err != nil {
		return nil, err
	}
	doc := map[string]any{"type": k.Name}
	if k.Scope == def.InMesh {
		doc["mesh"] = kuma.DefaultMesh
	}
	for _, o := range []def.Object{k.Envelope(), k.Root()} {
		encoded, err := encodeObject(o, root)
		if err != nil {
			return nil, err
		}
		maps.Copy(doc, encoded)
	}
	return doc, nil
}

func encodeObject(o def.Object, values map[string]tftypes.Value) (map[string]any, error) {
	out := map[string]any{}
	empty, known := emptyLists(values)
	for _, f := range o {
		name := tfschema.AttributeName(f.Name)
		if f.IsSecret() {
			e, err := encodeSecret(name, values)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			if e != nil {
				out[f.Name] = e
			}
			continue
		}
		v, ok := values[name]
		if !ok || v.IsNull() {
			if slices.Contains(empty, name) {
				out[f.Name] = []any{}
			} else if !known && tfschema.IsBlockList(f.Type) {
				out[f.Name] = tree.Unknown // it may be listed
			}
			continue
		}
		e, err := encodeValue(f.Type, v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if list, ok := e.([]any); ok && len(list) == 0 && tfschema.IsBlockList(f.Type) && !slices.Contains(empty, name) {
			if !known {
				out[f.Name] = tree.Unknown
			}
			continue // without blocks there is no list
		}
		out[f.Name] = e
	}
	return out, nil
}

func encodeValue(t def.Type, v tftypes.Value) (any, error) {
	switch {
	case !v.IsKnown():
		return tree.Unknown, nil
	case v.IsNull():
		return nil, nil
	}
	switch t := t.(type) {
	case def.Scalar:
		return encodeScalar(t, v)
	case def.Secret:
		return encodeScalar(def.Base64, v)
	case def.List:
		var elems []tftypes.Value
		if err := v.As(&elems); err != nil {
			return nil, err
		}
		out := make([]any, len(elems))
		for i, e := range elems {
			var err error
			if out[i], err = encodeValue(t.Elem, e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case def.StringMap:
		elems, err := Attributes(v)
		if err != nil {
			return nil, err
		}
		out := make(map[string]any, len(elems))
		for k, e := range elems {
			if out[k], err = encodeValue(def.String, e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case def.Object:
		values, err := Attributes(v)
		if err != nil {
			return nil, err
		}
		return encodeObject(t, values)
	default:
		panic(fmt.Sprintf("tfvalue: unknown type %T", t))
	}
}

func encodeScalar(s def.Scalar, v tftypes.Value) (any, error) {
	plain, err := scalarOf(v)
	if err != nil {
		return nil, err
	}
	switch text, isText := plain.(string); {
	case s == def.JSON && isText:
		if decoded, err := tree.DecodeJSON([]byte(text)); err == nil {
			return decoded, nil
		} // the schema reports it
	case s == def.IntOrString:
		if c, err := def.Canonical(s, plain); err == nil {
			return c, nil
		}
	}
	return plain, nil
}

func number(n *big.Float) json.Number {
	if n.IsInt() {
		return json.Number(n.Text('f', 0))
	}
	return json.Number(n.Text('g', -1))
}

// Attributes returns the attributes of an object or the elements of a map, and
// nil for a null or unknown value. It fails for a value of any other type. The
// result is a copy, because tftypes returns its own map.
func Attributes(v tftypes.Value) (map[string]tftypes.Value, error) {
	if v.IsNull() || !v.IsKnown() {
		return nil, nil
	}
	var m map[string]tftypes.Value
	if err := v.As(&m); err != nil {
		return nil, err
	}
	return maps.Clone(m), nil
}

// emptyLists returns the attribute names of the block lists that are sent as
// empty lists, and reports whether they are known.
func emptyLists(values map[string]tftypes.Value) (names []string, known bool) {
	v, ok := values[tfschema.ExplicitlyEmpty]
	if !ok || v.IsNull() {
		return nil, true
	}
	if !v.IsFullyKnown() {
		return nil, false
	}
	list, err := ToTree(v)
	return tree.Strings(list), err == nil
}
