package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// encodeResourceFunction writes a document as the resource of its kind: the way
// from YAML to blocks.
type encodeResourceFunction struct{}

var _ function.Function = encodeResourceFunction{}

func (encodeResourceFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "encode_resource"
}

func (encodeResourceFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Writes a document as a resource",
		MarkdownDescription: "Writes a document as the `resource` block of its kind, to paste into a configuration: member by member, nothing added and nothing left out. " +
			"The document is checked like `kuma_manifest` checks it. Secrets in it are part of the text.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "document", MarkdownDescription: "The document as an object, in universal or Kubernetes format, such as one element of what `decode_documents` returns."},
		},
		Return: function.StringReturn{},
	}
}

func (encodeResourceFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var argument types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &argument); resp.Error != nil {
		return
	}
	text, err := resourceText(ctx, argument)
	if err != nil {
		resp.Error = argumentError(err)
		return
	}
	resp.Error = resp.Result.Set(ctx, text)
}

func resourceText(ctx context.Context, document types.Dynamic) (string, error) {
	value, err := document.UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		return "", err
	}
	k, res, err := documentResource(value)
	if err != nil {
		return "", err
	}
	var found []string
	for _, p := range def.Errors(checkManifest(res.Document())) {
		found = append(found, p.Path.String()+": "+p.Detail)
	}
	for _, p := range k.ExtraMembers(res) {
		found = append(found, fmt.Sprintf("%s: %s has no attribute for this member. Use kuma_manifest, which sends it as it is.", p, TypeName(k.Name)))
	}
	if len(found) > 0 {
		return "", errors.New("the document cannot be written as a resource. " + strings.Join(found, "\n"))
	}
	return writeResource(ctx, k, res)
}

// writeResource returns the resource block of a valid document.
func writeResource(ctx context.Context, k def.Kind, r kuma.Resource) (string, error) {
	t, ok := resourceSchema(k).Type().TerraformType(ctx).(tftypes.Object)
	if !ok {
		return "", errors.New("a resource is always an object")
	}
	values, err := decodeResource(k, r, t, tftypes.NewValue(t, nil), true)
	if err != nil {
		return "", err
	}
	file := hclwrite.NewEmptyFile()
	body := file.Body().AppendNewBlock("resource", []string{TypeName(k.Name), localName(r.Name)}).Body()
	envelope := def.Object{{Name: "name", Type: def.String}, {Name: "mesh", Type: def.String}, {Name: "labels", Type: def.Map{Elem: def.String}}}
	if len(r.Labels) == 0 {
		envelope = envelope[:2]
	}
	if err := writeObject(body, envelope, values); err != nil {
		return "", err
	}
	fields := k.Fields
	if !k.Flat {
		fields = def.Object{{Name: "spec", Type: k.Fields}}
	}
	if err := writeObject(body, fields, values); err != nil {
		return "", err
	}
	return string(hclwrite.Format(file.Bytes())), nil
}

// writeObject writes the members of an object: the attributes first, then the
// blocks, each in the order of the description.
func writeObject(body *hclwrite.Body, o def.Object, values map[string]tftypes.Value) error {
	var nested []def.Field
	for _, f := range o {
		name := def.AttributeName(f.Name)
		v, ok := values[name]
		if f.Secret && v.IsNull() { // no text
			name += suffixBase64
			v = values[name]
		}
		if !ok || v.IsNull() {
			continue
		}
		if _, single := f.Type.(def.Object); single || isBlockList(f.Type) {
			nested = append(nested, f)
			continue
		}
		if err := writeAttribute(body, name, f.Type, v); err != nil {
			return err
		}
	}
	if empty, ok := values[explicitlyEmpty]; ok && !empty.IsNull() {
		if err := writeAttribute(body, explicitlyEmpty, def.List{Elem: def.String}, empty); err != nil {
			return err
		}
	}
	for _, f := range nested {
		if err := writeBlocks(body, f, values[def.AttributeName(f.Name)]); err != nil {
			return err
		}
	}
	return nil
}

func writeBlocks(body *hclwrite.Body, f def.Field, v tftypes.Value) error {
	objects, elem := []tftypes.Value{v}, f.Type
	if list, ok := f.Type.(def.List); ok {
		objects, elem = nil, list.Elem
		if err := v.As(&objects); err != nil {
			return err
		}
	}
	o, _ := elem.(def.Object)
	for _, object := range objects {
		values, err := members(object)
		if err != nil {
			return err
		}
		if err := writeObject(body.AppendNewBlock(def.AttributeName(f.Name), nil).Body(), o, values); err != nil {
			return err
		}
	}
	return nil
}

func writeAttribute(body *hclwrite.Body, name string, typ def.Type, v tftypes.Value) error {
	decoded, err := treeOf(v)
	if err != nil {
		return err
	}
	text, isText := decoded.(string)
	if typ == def.JSON && isText {
		if decoded, err = tree.DecodeJSON([]byte(text)); err != nil {
			return err
		}
	}
	constant, err := constantOf(decoded)
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

// constantOf turns a decoded JSON tree into a constant of HCL.
func constantOf(v any) (cty.Value, error) {
	switch v := v.(type) {
	case map[string]any:
		values := make(map[string]cty.Value, len(v))
		for key, e := range v {
			var err error
			if values[key], err = constantOf(e); err != nil {
				return cty.NilVal, err
			}
		}
		return cty.ObjectVal(values), nil
	case []any:
		values := make([]cty.Value, len(v))
		for i, e := range v {
			var err error
			if values[i], err = constantOf(e); err != nil {
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

// localName makes the name of a resource one that Terraform takes for a block.
func localName(name string) string {
	name = strings.Map(func(r rune) rune {
		if hclsyntax.ValidIdentifier("_" + string(r)) {
			return r
		}
		return '_'
	}, name)
	if !hclsyntax.ValidIdentifier(name) {
		return "_" + name
	}
	return name
}
