package tfvalue

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// EncodeHCL returns the resource block of a valid document.
func EncodeHCL(ctx context.Context, k def.Kind, r kuma.Resource) (string, error) {
	t, ok := tfschema.Resource(k).Type().TerraformType(ctx).(tftypes.Object)
	if !ok {
		return "", errors.New("a resource is always an object")
	}
	values, err := Decode(k, r, t, tftypes.NewValue(t, nil), true)
	if err != nil {
		return "", err
	}
	file := hclwrite.NewEmptyFile()
	body := file.Body().AppendNewBlock("resource", []string{tfschema.TypeName(k.Name), tfschema.LocalName(r.Name)}).Body()
	if len(r.Labels) == 0 {
		delete(values, "labels")
	}
	for _, o := range []def.Object{k.Envelope(), k.Root()} {
		if err := writeObject(body, o, values); err != nil {
			return "", err
		}
	}
	return string(hclwrite.Format(file.Bytes())), nil
}

// writeObject writes the members of an object: the attributes first, then the
// blocks, each in the order of the description.
func writeObject(body *hclwrite.Body, o def.Object, values map[string]tftypes.Value) error {
	var nested []def.Field
	for _, f := range o {
		name := tfschema.AttributeName(f.Name)
		v, ok := values[name]
		if f.IsSecret() && v.IsNull() { // no text
			name += tfschema.SuffixBase64
			v = values[name]
		}
		if !ok || v.IsNull() {
			continue
		}
		if def.ObjectOf(f.Type) != nil {
			nested = append(nested, f)
			continue
		}
		if err := writeAttribute(body, name, f.Type, v); err != nil {
			return err
		}
	}
	if empty, ok := values[tfschema.ExplicitlyEmpty]; ok && !empty.IsNull() {
		if err := writeAttribute(body, tfschema.ExplicitlyEmpty, def.List{Elem: def.String}, empty); err != nil {
			return err
		}
	}
	for _, f := range nested {
		if err := writeBlocks(body, f, values[tfschema.AttributeName(f.Name)]); err != nil {
			return err
		}
	}
	return nil
}

func writeBlocks(body *hclwrite.Body, f def.Field, v tftypes.Value) error {
	objects := []tftypes.Value{v}
	if tfschema.IsBlockList(f.Type) {
		objects = nil
		if err := v.As(&objects); err != nil {
			return err
		}
	}
	for _, object := range objects {
		values, err := Attributes(object)
		if err != nil {
			return err
		}
		if err := writeObject(body.AppendNewBlock(tfschema.AttributeName(f.Name), nil).Body(), def.ObjectOf(f.Type), values); err != nil {
			return err
		}
	}
	return nil
}

func writeAttribute(body *hclwrite.Body, name string, typ def.Type, v tftypes.Value) error {
	decoded, err := ToTree(v)
	if err != nil {
		return err
	}
	text, isText := decoded.(string)
	if typ == def.JSON && isText {
		if decoded, err = tree.DecodeJSON([]byte(text)); err != nil {
			return err
		}
	}
	constant, err := ToCty(decoded)
	if err != nil {
		return err
	}
	tokens := hclwrite.TokensForValue(constant)
	if typ == def.JSON {
		tokens = hclwrite.TokensForFunctionCall("jsonencode", tokens)
	}
	body.SetAttributeRaw(name, tokens)
	return nil
}

// ToCty turns a decoded JSON tree into a constant of HCL.
func ToCty(v any) (cty.Value, error) {
	switch v := v.(type) {
	case map[string]any:
		values := make(map[string]cty.Value, len(v))
		for key, e := range v {
			var err error
			if values[key], err = ToCty(e); err != nil {
				return cty.NilVal, err
			}
		}
		return cty.ObjectVal(values), nil
	case []any:
		values := make([]cty.Value, len(v))
		for i, e := range v {
			var err error
			if values[i], err = ToCty(e); err != nil {
				return cty.NilVal, err
			}
		}
		return cty.TupleVal(values), nil
	case json.Number:
		return cty.ParseNumberVal(v.String())
	case string:
		return cty.StringVal(v), nil
	case bool:
		return cty.BoolVal(v), nil
	default:
		return cty.NullVal(cty.DynamicPseudoType), nil
	}
}
