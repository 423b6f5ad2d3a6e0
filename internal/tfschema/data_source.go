package tfschema

import (
	"maps"

	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
)

// DataSource derives the schema of a kind's data source: everything but
// the identity is computed, and objects are nested attributes.
func DataSource(k def.Kind) dsschema.Schema {
	s := dsschema.Schema{
		MarkdownDescription: "Reads an existing " + k.Name + ".",
		Attributes: map[string]dsschema.Attribute{
			"name": dsschema.StringAttribute{Required: true, MarkdownDescription: "Name of the resource."},
			"labels": dsschema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "All [labels](../guides/common-arguments.md#labels).",
			},
			"type": dsschema.StringAttribute{Computed: true, MarkdownDescription: TypeDescription},
			"kri":  dsschema.StringAttribute{Computed: true, MarkdownDescription: KRIDescription},
		},
	}
	if k.Scope == def.InMesh {
		s.Attributes["mesh"] = dsschema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Name of the mesh. Defaults to `default`.",
		}
	}
	maps.Copy(s.Attributes, computed(k.Root()))
	return s
}

func computed(o def.Object) map[string]dsschema.Attribute {
	attributes := map[string]dsschema.Attribute{}
	for _, f := range o {
		name := AttributeName(f.Name)
		switch t := f.Type.(type) {
		case def.Object:
			attributes[name] = computedObject(f.Doc, computed(t))
		case def.List:
			if elem, ok := t.Elem.(def.Object); ok {
				attributes[name] = dsschema.ListNestedAttribute{
					Computed: true, MarkdownDescription: f.Doc, NestedObject: dsschema.NestedAttributeObject{Attributes: computed(elem)},
				}
				continue
			}
			attributes[name] = dsschema.ListAttribute{
				Computed: true, ElementType: elementType(t.Elem), MarkdownDescription: f.Doc,
				Sensitive: f.Sensitive,
			}
		case def.StringMap:
			attributes[name] = dsschema.MapAttribute{
				Computed: true, ElementType: types.StringType, MarkdownDescription: f.Doc,
				Sensitive: f.Sensitive,
			}
		case def.Secret:
			attributes[name] = dsschema.StringAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "The secret value as a string. Null if the value is not valid UTF-8.",
			}
			attributes[name+SuffixBase64] = dsschema.StringAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "The secret value encoded in base64.",
			}
		case def.Scalar:
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
