package tfschema

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// This file contains the computed attributes of data sources.

// ComputedText is a computed string.
func ComputedText(doc string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
}

// ComputedTexts is a computed list of strings.
func ComputedTexts(doc string) schema.Attribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: doc}
}

// ComputedNumber is a computed integer.
func ComputedNumber(doc string) schema.Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: doc}
}

// ComputedList is a computed list of objects with the attributes.
func ComputedList(doc string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{Computed: true, MarkdownDescription: doc, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
}

// ComputedObject is a computed object with the attributes.
func ComputedObject(doc string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: doc, Attributes: attributes}
}
