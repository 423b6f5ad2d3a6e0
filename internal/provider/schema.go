package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Descriptions of what all kinds have in common.
const (
	docMesh   = "Mesh that the resource belongs to. Changing it creates a new resource."
	docName   = "Name of the resource: lower case letters, digits, `-` and `.`. Changing it creates a new resource."
	docLabels = "Labels of the resource. Those that the control plane computes (`kuma.io/mesh`, `kuma.io/origin`, `kuma.io/zone`, `kuma.io/env`, …) are left out unless they are set here."
	docType   = "Kind of the resource, as in Kuma's API."
	docKRI    = "Identifier of the resource (KRI), as the inspect API prints it."
)

// resourceSchema derives the schema of a kind's resource: nested blocks for
// objects and lists of objects, attributes for everything else.
func resourceSchema(k def.Kind) schema.Schema {
	s := schema.Schema{
		MarkdownDescription: kindDoc(k, ""),
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: docName,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"labels": schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType, MarkdownDescription: docLabels},
			"type":   schema.StringAttribute{Computed: true, Default: stringdefault.StaticString(k.Name), MarkdownDescription: docType},
			"kri":    schema.StringAttribute{Computed: true, MarkdownDescription: docKRI + " Known when planning."},
		},
		Blocks: map[string]schema.Block{},
	}
	if k.Scope == def.InMesh {
		s.Attributes["mesh"] = schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(kuma.DefaultMesh),
			MarkdownDescription: docMesh + " Defaults to `default`.",
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		}
	}
	if !k.Flat {
		a, b := blocks(k.Fields, k.Flat, true)
		s.Blocks["spec"] = schema.SingleNestedBlock{MarkdownDescription: checksDoc("Required. What the resource says.", k.Checks), Attributes: a, Blocks: b}
		return s
	}
	a, b := blocks(k.Fields, k.Flat, false)
	maps.Copy(s.Attributes, a)
	maps.Copy(s.Blocks, b)
	return s
}

// identitySchema is what names a resource of the kind.
func identitySchema(k def.Kind) identityschema.Schema {
	s := identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the resource."},
	}}
	if k.Scope == def.InMesh {
		s.Attributes["mesh"] = identityschema.StringAttribute{RequiredForImport: true, Description: "Mesh that the resource belongs to."}
	}
	return s
}

// blocks derives what users write from the members of an object. Inside a
// single block the schema cannot require attributes: the framework would miss
// them where the whole block is left out. Validation requires them there.
func blocks(o def.Object, flat, single bool) (map[string]schema.Attribute, map[string]schema.Block) {
	attributes, nested := map[string]schema.Attribute{}, map[string]schema.Block{}
	var empty []string
	for _, f := range o {
		name := def.AttributeName(f.Name)
		required := f.Required && !single
		doc := fieldDoc(f, required)
		switch t := f.Type.(type) {
		case def.Object:
			a, b := blocks(t, flat, true)
			nested[name] = typedBlock(schema.SingleNestedBlock{
				MarkdownDescription: doc, Attributes: a, Blocks: b,
			})
		case def.List:
			if elem, ok := t.Elem.(def.Object); ok {
				a, b := blocks(elem, flat, false)
				nested[name] = typedBlockList(schema.ListNestedBlock{
					MarkdownDescription: doc,
					NestedObject:        schema.NestedBlockObject{Attributes: a, Blocks: b},
				})
				if canBeExplicitlyEmpty(f, flat) {
					empty = append(empty, name)
				}
				continue
			}
			attributes[name] = schema.ListAttribute{
				ElementType: elementType(t.Elem), Required: required, Optional: !required,
				MarkdownDescription: doc, Sensitive: f.Sensitive,
			}
		case def.Map:
			attributes[name] = schema.MapAttribute{
				ElementType: elementType(t.Elem), Required: required, Optional: !required,
				MarkdownDescription: doc, Sensitive: f.Sensitive,
			}
		case def.Scalar:
			if f.Secret {
				maps.Copy(attributes, secretAttributes(f, name))
				continue
			}
			attributes[name] = scalarAttribute(f, t, required)
		default:
			panic(fmt.Sprintf("provider: unknown type %T", t))
		}
	}
	if empty != nil {
		attributes[explicitlyEmpty] = schema.SetAttribute{
			ElementType: types.StringType, Optional: true,
			MarkdownDescription: "Lists without a block that are sent as empty lists, which replaces what weaker policies say; without this they are left out. Of " + phrase.Or(empty...) + ".",
			Validators:          []validator.Set{emptyNames(empty)},
		}
	}
	return attributes, nested
}

// typedBlock returns the block with its type worked out. The framework asks
// for it at every value of every request, and would otherwise build it anew from
// everything that is nested in the block.
func typedBlock(b schema.SingleNestedBlock) schema.SingleNestedBlock {
	b.CustomType, _ = b.Type().(basetypes.ObjectTypable)
	return b
}

// typedBlockList does the same for repeated blocks.
func typedBlockList(b schema.ListNestedBlock) schema.ListNestedBlock {
	b.NestedObject.CustomType = b.NestedObject.Type()
	b.CustomType, _ = b.Type().(basetypes.ListTypable)
	return b
}

func scalarAttribute(f def.Field, s def.Scalar, required bool) schema.Attribute {
	doc := fieldDoc(f, required)
	switch elementType(s) {
	case types.BoolType:
		return schema.BoolAttribute{Required: required, Optional: !required, MarkdownDescription: doc, Sensitive: f.Sensitive}
	case types.NumberType:
		return schema.NumberAttribute{Required: required, Optional: !required, MarkdownDescription: doc, Sensitive: f.Sensitive}
	default:
		a := schema.StringAttribute{Required: required, Optional: !required, MarkdownDescription: doc, Sensitive: f.Sensitive}
		if s == def.JSON {
			a.Validators = []validator.String{jsonText{}}
		}
		return a
	}
}

// elementType returns the Terraform type of a scalar.
func elementType(t def.Type) attr.Type {
	switch t {
	case def.Bool:
		return types.BoolType
	case def.Int, def.Number:
		return types.NumberType
	default:
		return types.StringType
	}
}

// dataSourceSchema derives the schema of a kind's data source: everything but
// the identity is computed, and objects are nested attributes.
func dataSourceSchema(k def.Kind) dsschema.Schema {
	s := dsschema.Schema{
		MarkdownDescription: kindDoc(k, "Reads one resource. "),
		Attributes: map[string]dsschema.Attribute{
			"name":   dsschema.StringAttribute{Required: true, MarkdownDescription: "Name of the resource."},
			"labels": dsschema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "All labels, those that the control plane computed included."},
			"type":   dsschema.StringAttribute{Computed: true, MarkdownDescription: docType},
			"kri":    dsschema.StringAttribute{Computed: true, MarkdownDescription: docKRI},
		},
	}
	if k.Scope == def.InMesh {
		s.Attributes["mesh"] = dsschema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Mesh that the resource belongs to. Defaults to `default`."}
	}
	if !k.Flat {
		s.Attributes["spec"] = dsschema.SingleNestedAttribute{Computed: true, MarkdownDescription: "What the resource says.", Attributes: computed(k.Fields)}
		return s
	}
	maps.Copy(s.Attributes, computed(k.Fields))
	return s
}

func computed(o def.Object) map[string]dsschema.Attribute {
	attributes := map[string]dsschema.Attribute{}
	for _, f := range o {
		name := def.AttributeName(f.Name)
		switch t := f.Type.(type) {
		case def.Object:
			attributes[name] = dsschema.SingleNestedAttribute{Computed: true, MarkdownDescription: f.Doc, Attributes: computed(t)}
		case def.List:
			if elem, ok := t.Elem.(def.Object); ok {
				attributes[name] = dsschema.ListNestedAttribute{Computed: true, MarkdownDescription: f.Doc, NestedObject: dsschema.NestedAttributeObject{Attributes: computed(elem)}}
				continue
			}
			attributes[name] = dsschema.ListAttribute{Computed: true, ElementType: elementType(t.Elem), MarkdownDescription: f.Doc, Sensitive: f.Sensitive}
		case def.Map:
			attributes[name] = dsschema.MapAttribute{Computed: true, ElementType: elementType(t.Elem), MarkdownDescription: f.Doc, Sensitive: f.Sensitive}
		case def.Scalar:
			if f.Secret {
				attributes[name] = dsschema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "The secret value as text. Null when it is no text."}
				attributes[name+suffixBase64] = dsschema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "The secret value as bytes in base64."}
				continue
			}
			switch elementType(t) {
			case types.BoolType:
				attributes[name] = dsschema.BoolAttribute{Computed: true, MarkdownDescription: f.Doc, Sensitive: f.Sensitive}
			case types.NumberType:
				attributes[name] = dsschema.NumberAttribute{Computed: true, MarkdownDescription: f.Doc, Sensitive: f.Sensitive}
			default:
				attributes[name] = dsschema.StringAttribute{Computed: true, MarkdownDescription: f.Doc, Sensitive: f.Sensitive}
			}
		}
	}
	return attributes
}

func kindDoc(k def.Kind, lead string) string {
	doc := lead + k.Doc
	if k.Since != "" {
		doc += " Since Kuma " + k.Since + "."
	}
	return doc
}

// fieldDoc adds to the description of a field what its declaration says and the
// schema does not show.
func fieldDoc(f def.Field, shownRequired bool) string {
	doc := []string{f.Doc}
	if f.Deprecated != "" {
		doc = []string{"**Deprecated.** " + f.Deprecated, f.Doc}
	}
	if f.Required && !shownRequired {
		doc = append([]string{"Required."}, doc...)
	}
	if f.OneOf != nil {
		values := make([]string, len(f.OneOf))
		for i, v := range f.OneOf {
			values[i] = "`" + v + "`"
		}
		doc = append(doc, "One of "+phrase.Or(values...)+".")
	}
	switch d := f.Default.(type) {
	case string:
		if d != "" && !f.Required {
			doc = append(doc, "Defaults to `"+d+"`.")
		}
	case bool, fmt.Stringer:
		doc = append(doc, fmt.Sprintf("Defaults to `%v`.", d))
	}
	if f.Type == def.JSON {
		doc = append(doc, "Any value as JSON: write it with `jsonencode`.")
	}
	if f.ServerOwned {
		doc = append(doc, "The control plane overwrites it by itself, which is never shown as a difference.")
	}
	if f.Since != "" {
		doc = append(doc, "Since Kuma "+f.Since+".")
	}
	for _, value := range slices.Sorted(maps.Keys(f.SinceOf)) {
		doc = append(doc, fmt.Sprintf("`%s` since Kuma %s.", value, f.SinceOf[value]))
	}
	return checksDoc(strings.Join(doc, " "), f.Checks)
}

func checksDoc(doc string, checks []def.Check) string {
	for _, c := range checks {
		if c.Doc != "" {
			doc += " " + c.Doc
		}
	}
	return doc
}
