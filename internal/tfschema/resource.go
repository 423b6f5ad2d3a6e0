package tfschema

import (
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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

// ReplacedVersion is the name of the attribute by which Terraform compares what a plan
// that adopts a resource and its apply have read.
const ReplacedVersion = "replaced_version"

// Resource derives the schema of a kind's resource: nested blocks for
// objects and lists of objects, attributes for everything else.
func Resource(k def.Kind) schema.Schema {
	s := schema.Schema{
		MarkdownDescription: kindDoc(k),
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: nameDescription,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"labels": schema.MapAttribute{
				Optional: true, Computed: true, ElementType: types.StringType,
				MarkdownDescription: labelsDescription,
			},
			"type": schema.StringAttribute{
				Computed: true, Default: stringdefault.StaticString(k.Name),
				MarkdownDescription: TypeDescription,
			},
			"kri":           schema.StringAttribute{Computed: true, MarkdownDescription: KRIDescription},
			ReplacedVersion: schema.StringAttribute{Computed: true, MarkdownDescription: ReplacedVersionDescription},
		},
		Blocks: map[string]schema.Block{},
	}
	if k.Scope == def.InMesh {
		s.Attributes["mesh"] = schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(kuma.DefaultMesh),
			MarkdownDescription: meshDescription + " Defaults to `default`.",
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		}
	}
	if k.Contains {
		s.Attributes[ForceDestroy] = schema.BoolAttribute{Optional: true, MarkdownDescription: ForceDestroyDescription}
	}
	w := written{proto: k.Proto(), names: WireNames(k)}
	a, b := w.fields(k.Root(), false)
	for name := range b {
		block, ok := b[name].(schema.SingleNestedBlock)
		if !ok {
			continue
		}
		if doc, found := strings.CutPrefix(block.MarkdownDescription, requiredInBlock); found {
			block.MarkdownDescription = required + doc
		}
		if name == "spec" {
			block.MarkdownDescription = checksDoc(block.MarkdownDescription, k.Checks, w.names)
		}
		b[name] = block
	}
	maps.Copy(s.Attributes, a)
	maps.Copy(s.Blocks, b)
	return s
}

// Identity is the schema of the identity of a resource of the kind.
func Identity(k def.Kind) identityschema.Schema {
	s := identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the resource."},
	}}
	if k.Scope == def.InMesh {
		s.Attributes["mesh"] = identityschema.StringAttribute{RequiredForImport: true, Description: "Mesh of the resource."}
	}
	return s
}

// written derives the part of a schema that users write.
type written struct {
	proto bool            // the kind is an older one, see [def.Kind.Proto]
	names map[string]bool // the wire names of the kind
}

// fields derives what users write for the fields of an object. Inside a single
// block the schema cannot require attributes: the framework would require them
// even if the whole block is omitted. Validation requires them instead.
func (w written) fields(o def.Object, single bool) (map[string]schema.Attribute, map[string]schema.Block) {
	attributes, nested := map[string]schema.Attribute{}, map[string]schema.Block{}
	var empty []string
	for _, f := range o {
		name := AttributeName(f.Name)
		inSchema := f.Required && !single && def.ObjectOf(f.Type) == nil
		doc := requiredDoc(f, inSchema, w.proto) + fieldDoc(f, w.names)
		switch t := f.Type.(type) {
		case def.Object:
			a, b := w.fields(t, true)
			nested[name] = typedBlock(schema.SingleNestedBlock{
				MarkdownDescription: doc, Attributes: a, Blocks: b,
			})
		case def.List:
			if elem, ok := t.Elem.(def.Object); ok {
				a, b := w.fields(elem, false)
				nested[name] = typedBlockList(schema.ListNestedBlock{
					MarkdownDescription: doc,
					NestedObject:        schema.NestedBlockObject{Attributes: a, Blocks: b},
				})
				if CanBeExplicitlyEmpty(f, w.proto) {
					empty = append(empty, name)
				}
				continue
			}
			attributes[name] = schema.ListAttribute{
				ElementType: elementType(t.Elem), Required: inSchema, Optional: !inSchema,
				MarkdownDescription: doc, Sensitive: f.Sensitive,
			}
		case def.StringMap:
			attributes[name] = schema.MapAttribute{
				ElementType: types.StringType, Required: inSchema, Optional: !inSchema,
				MarkdownDescription: doc, Sensitive: f.Sensitive,
			}
		case def.Secret:
			maps.Copy(attributes, secretAttributes(f, name))
		case def.Scalar:
			attributes[name] = scalarAttribute(f, t, inSchema, doc)
		default:
			panic(fmt.Sprintf("tfschema: unknown type %T", t))
		}
	}
	if empty != nil {
		attributes[ExplicitlyEmpty] = schema.SetAttribute{
			ElementType: types.StringType, Optional: true,
			MarkdownDescription: "[Empty lists](../guides/common-arguments.md#empty-lists). " + phrase.ValidValues(empty),
			Validators:          []validator.Set{emptyNames(empty)},
		}
	}
	return attributes, nested
}

// typedBlock returns the block with its type computed in advance. The framework
// needs it for every value of every request, and would otherwise rebuild it
// from everything that is nested in the block.
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

func scalarAttribute(f def.Field, s def.Scalar, inSchema bool, doc string) schema.Attribute {
	switch elementType(s) {
	case types.BoolType:
		return schema.BoolAttribute{Required: inSchema, Optional: !inSchema, MarkdownDescription: doc, Sensitive: f.Sensitive}
	case types.NumberType:
		return schema.NumberAttribute{Required: inSchema, Optional: !inSchema, MarkdownDescription: doc, Sensitive: f.Sensitive}
	default:
		// Computed, because an omitted sensitive value can keep its stored
		// value.
		a := schema.StringAttribute{
			Required: inSchema, Optional: !inSchema, Computed: f.Sensitive, MarkdownDescription: doc,
			Sensitive: f.Sensitive,
		}
		if s == def.JSON {
			a.Validators = []validator.String{jsonText}
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
