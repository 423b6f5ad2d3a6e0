package configuration

import (
	"encoding/base64"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// variable is a variable for a secret value.
type variable struct {
	name        string
	description string
	optional    bool // null keeps the stored value
}

func (v variable) write(body *hclwrite.Body) {
	block := body.AppendNewBlock("variable", []string{v.name}).Body()
	block.SetAttributeValue("description", cty.StringVal(v.description))
	block.SetAttributeTraversal("type", hcl.Traversal{hcl.TraverseRoot{Name: "string"}})
	if v.optional {
		block.SetAttributeValue("default", cty.NullVal(cty.String))
	}
	block.SetAttributeValue("sensitive", cty.True)
}

// secrets replaces the sensitive values of a resource with variables. The
// variables of a typed resource may be null, which keeps the stored value. A
// manifest omits a secret.
func (f *files) secrets(k def.Kind, r kuma.Resource, instead expressions) {
	at := f.addresses[r.Key()]
	prefix := tfschema.AttributeName(r.Type) + "_" + at.label
	typed := at.typeName != ManifestType
	description := func(what string) string {
		if typed {
			return "Value of " + what + ". If null, the stored value is kept."
		}
		return "Value of " + what + "."
	}
	if typed {
		for _, secret := range k.SecretFields() {
			what := r.Key().String()
			if data, err := base64.StdEncoding.DecodeString(tree.Text(r.Body[secret.Name])); err != nil || !utf8.Valid(data) {
				what += " in base64"
			}
			f.addVariable(variable{name: prefix, description: description(what), optional: true}, instead, secret.Name)
		}
	}
	if !typed && !f.options.Defaults {
		return // the manifest omits them
	}
	for _, path := range k.SensitiveFields(r.Document()) {
		if _, ok := instead[path.String()]; ok {
			continue
		}
		// The forms of a source have one variable, with the text of it: stage two of an upgrade has another form.
		end := slices.IndexFunc(path, func(step any) bool { return step == "inline" || step == "inlineString" || step == "insecureInline" })
		source, name := path[:end], prefix
		for _, step := range source {
			if step != "spec" {
				name += "_" + tfschema.AttributeName(fmt.Sprint(step))
			}
		}
		v := variable{name: name, description: description(fmt.Sprintf("%s in %s", source, r.Key())), optional: typed}
		if f.options.Unstored != nil && f.options.Unstored(r.Key(), path) {
			v.description, v.optional = fmt.Sprintf("Value of %s in %s, which Kuma 3.0 does not read from what 2.14 stored.", source, r.Key()), false
		}
		f.addVariable(v, instead, path.String())
		if path[end] == "inline" {
			instead[path.String()] = hclwrite.TokensForFunctionCall("try",
				hclwrite.TokensForFunctionCall("base64encode", instead[path.String()]), hclwrite.TokensForIdentifier("null"))
		}
	}
}

func (f *files) addVariable(v variable, instead expressions, path string) {
	f.variables = append(f.variables, v)
	instead[path] = hclwrite.TokensForTraversal(hcl.Traversal{hcl.TraverseRoot{Name: "var"}, hcl.TraverseAttr{Name: v.name}})
}
