package configuration

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// writeResource writes the arguments of the resource of a kind.
func (f *files) writeResource(body *hclwrite.Body, k def.Kind, r kuma.Resource, instead expressions) error {
	o, t := f.options, tfvalue.ResourceTypes()[tfschema.TypeName(k.Name)].Values
	values, err := tfvalue.Decode(k, r, o.Release, t, tftypes.NewValue(t, nil), o.Defaults)
	if err != nil {
		return err
	}
	delete(values, "labels")
	if labels := o.labels(r); len(labels) > 0 {
		values["labels"] = tfvalue.StringMap(labels)
	}
	w := blockWriter{instead}
	if err := w.object(body, k.Envelope(), nil, values); err != nil {
		return err
	}
	return w.object(body, k.Root(), nil, values)
}

// blockWriter writes values of a schema, some of them as expressions.
type blockWriter struct{ instead expressions }

// object writes the fields of an object at a path of the document: the attributes
// first, then the blocks, each in the order of the description.
func (w blockWriter) object(body *hclwrite.Body, o def.Object, at tree.Path, values map[string]tftypes.Value) error {
	var nested []def.Field
	for _, f := range o {
		name, path := tfschema.AttributeName(f.Name), at.Child(f.Name)
		v, ok := values[name]
		if inBase64 := values[name+tfschema.SuffixBase64]; f.IsSecret() && v.IsNull() && !inBase64.IsNull() { // not a string
			name += tfschema.SuffixBase64
			v = inBase64
		}
		if expression, ok := w.instead[path.String()]; ok {
			body.SetAttributeRaw(name, expression)
			continue
		}
		if f.IsSecret() && v.IsNull() { // the document creates it empty, which a resource does only on request
			v = tftypes.NewValue(tftypes.String, "")
		}
		if !ok || v.IsNull() {
			continue
		}
		if def.ObjectOf(f.Type) != nil {
			nested = append(nested, f)
			continue
		}
		if err := w.attribute(body, name, path, f.Type, v); err != nil {
			return err
		}
	}
	if empty, ok := values[tfschema.ExplicitlyEmpty]; ok && !empty.IsNull() {
		if err := w.attribute(body, tfschema.ExplicitlyEmpty, nil, def.List{Elem: def.String}, empty); err != nil {
			return err
		}
	}
	for _, f := range nested {
		if err := w.blocks(body, f, at.Child(f.Name), values[tfschema.AttributeName(f.Name)]); err != nil {
			return err
		}
	}
	return nil
}

func (w blockWriter) blocks(body *hclwrite.Body, f def.Field, at tree.Path, v tftypes.Value) error {
	objects, isList := []tftypes.Value{v}, tfschema.IsBlockList(f.Type)
	if isList {
		objects = nil
		if err := v.As(&objects); err != nil {
			return err
		}
	}
	for i, object := range objects {
		element := at
		if isList {
			element = at.Child(i)
		}
		values, err := tfvalue.Attributes(object)
		if err != nil {
			return err
		}
		if len(body.Attributes())+len(body.Blocks()) > 0 {
			body.AppendNewline()
		}
		if err := w.object(body.AppendNewBlock(tfschema.AttributeName(f.Name), nil).Body(), def.ObjectOf(f.Type), element, values); err != nil {
			return err
		}
	}
	return nil
}

func (w blockWriter) attribute(body *hclwrite.Body, name string, at tree.Path, typ def.Type, v tftypes.Value) error {
	decoded, err := tfvalue.ToTree(v)
	if err != nil {
		return err
	}
	text, isText := decoded.(string)
	if typ == def.JSON && isText {
		if decoded, err = tree.DecodeJSON([]byte(text)); err != nil {
			return err
		}
	}
	write := w.field
	if typ == def.JSON { // an argument of a function
		write = w.value
	}
	tokens, err := write(decoded, at)
	if err != nil {
		return err
	}
	if typ == def.JSON {
		tokens = hclwrite.TokensForFunctionCall("jsonencode", tokens)
	}
	body.SetAttributeRaw(name, tokens)
	return nil
}

const heredocEnd = "EOT"

// hasLines reports whether a text has several lines that a heredoc can contain.
func hasLines(text string) bool {
	special := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
	lines := strings.Split(text, "\n")
	return len(lines) > 2 && lines[len(lines)-1] == "" && !strings.ContainsFunc(text, special) &&
		!slices.ContainsFunc(lines, func(line string) bool { return strings.TrimSpace(line) == heredocEnd })
}

// heredoc writes a text with several lines, such as a script.
func heredoc(text string) hclwrite.Tokens {
	text = strings.NewReplacer("${", "$${", "%{", "%%{").Replace(text)
	return hclwrite.Tokens{
		{Type: hclsyntax.TokenOHeredoc, Bytes: []byte("<<" + heredocEnd + "\n")},
		{Type: hclsyntax.TokenStringLit, Bytes: []byte(text)},
		{Type: hclsyntax.TokenCHeredoc, Bytes: []byte(heredocEnd)},
	}
}

// field writes the value of an attribute or of a field of an object. Only these can be
// heredocs, which must end their line.
func (w blockWriter) field(v any, at tree.Path) (hclwrite.Tokens, error) {
	_, replaced := w.instead[at.String()]
	if text, ok := v.(string); ok && !replaced && hasLines(text) {
		return heredoc(text), nil
	}
	return w.value(v, at)
}

// value writes a decoded value at a path of the document.
func (w blockWriter) value(v any, at tree.Path) (hclwrite.Tokens, error) {
	if expression, ok := w.instead[at.String()]; ok && len(at) > 0 {
		return expression, nil
	}
	switch v := v.(type) {
	case map[string]any:
		fields := make([]hclwrite.ObjectAttrTokens, 0, len(v))
		for _, name := range fieldNames(v) {
			tokens, err := w.field(v[name], at.Child(name))
			if err != nil {
				return nil, err
			}
			fields = append(fields, hclwrite.ObjectAttrTokens{Name: fieldName(name), Value: tokens})
		}
		return hclwrite.TokensForObject(fields), nil
	case []any:
		elements := make([]hclwrite.Tokens, len(v))
		for i, e := range v {
			var err error
			if elements[i], err = w.value(e, at.Child(i)); err != nil {
				return nil, err
			}
		}
		return hclwrite.TokensForTuple(elements), nil
	default:
		constant, err := toCty(v)
		if err != nil {
			return nil, err
		}
		return hclwrite.TokensForValue(constant), nil
	}
}

// fieldNames sorts the fields of an object, those that name a resource first.
func fieldNames(v map[string]any) []string {
	first := []string{"type", "kind", "mesh", "name", "labels"}
	rank := func(name string) int {
		if i := slices.Index(first, name); i >= 0 {
			return i
		}
		return len(first)
	}
	return slices.SortedFunc(maps.Keys(v), func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
}

// fieldName returns the name of a field, quoted if necessary.
func fieldName(name string) hclwrite.Tokens {
	if hclsyntax.ValidIdentifier(name) {
		return hclwrite.TokensForIdentifier(name)
	}
	return hclwrite.TokensForValue(cty.StringVal(name))
}

// toCty converts a value that is neither an object nor a list to a constant of HCL.
func toCty(v any) (cty.Value, error) {
	switch v := v.(type) {
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
