package tfschema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file contains the computed attributes of data sources.

func computedObject(doc string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: doc, Attributes: attributes}
}

// ComputedOf returns the computed attributes for the value of a struct, see [tree.Of]. describe
// returns the description of a field of a type of struct.
func ComputedOf(t reflect.Type, describe func(typeName, key string) string) map[string]schema.Attribute {
	out := map[string]schema.Attribute{}
	for _, f := range tree.Fields(t) {
		out[f.Key] = computedOf(f.Type, describe(ownerOf(t, f.StructField).Name(), f.Key), describe)
	}
	return out
}

func computedOf(t reflect.Type, doc string, describe func(typeName, key string) string) schema.Attribute {
	switch t.Kind() {
	case reflect.Pointer:
		return computedOf(t.Elem(), doc, describe)
	case reflect.Struct:
		return computedObject(doc, ComputedOf(t, describe))
	case reflect.Slice:
		nested, of := computedElement(t.Elem(), describe)
		if of != nil {
			return schema.ListAttribute{Computed: true, MarkdownDescription: doc, ElementType: of}
		}
		return schema.ListNestedAttribute{Computed: true, MarkdownDescription: doc, NestedObject: nested}
	case reflect.Map:
		nested, of := computedElement(t.Elem(), describe)
		if of != nil {
			return schema.MapAttribute{Computed: true, MarkdownDescription: doc, ElementType: of}
		}
		return schema.MapNestedAttribute{Computed: true, MarkdownDescription: doc, NestedObject: nested}
	case reflect.Interface:
		return schema.DynamicAttribute{Computed: true, MarkdownDescription: doc}
	case reflect.Bool:
		return schema.BoolAttribute{Computed: true, MarkdownDescription: doc}
	case reflect.Int, reflect.Int64:
		return schema.Int64Attribute{Computed: true, MarkdownDescription: doc}
	case reflect.String:
		if t == reflect.TypeFor[json.Number]() {
			return schema.NumberAttribute{Computed: true, MarkdownDescription: doc}
		}
		return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
	default:
		panic(fmt.Sprintf("tfschema: %s has no attribute", t))
	}
}

// computedElement returns the object of the elements of a collection, or their type if they are
// not structs.
func computedElement(t reflect.Type, describe func(typeName, key string) string) (nested schema.NestedAttributeObject, of attr.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return schema.NestedAttributeObject{Attributes: ComputedOf(t, describe)}, nil
	}
	return nested, computedOf(t, "", describe).GetType()
}

// Descriptions reads the descriptions of fields from a Markdown document: a heading of level two
// with the name of a type of struct, and an element of a list for each field, as in
// "- `name`: Name of the policy." The returned function panics if there is no description.
func Descriptions(markdown string) func(typeName, key string) string {
	texts := map[[2]string]string{}
	for typeName, section := range sections(markdown) {
		for _, element := range strings.Split("\n"+section, "\n- `")[1:] {
			key, text, _ := strings.Cut(element, "`:")
			texts[[2]string{typeName, key}] = strings.Join(strings.Fields(text), " ")
		}
	}
	return func(typeName, key string) string {
		text, ok := texts[[2]string{typeName, key}]
		if !ok {
			panic("no description of " + typeName + "." + key)
		}
		return text
	}
}
