package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// This file contains helpers for computed attributes of data sources.

func computedText(doc string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
}

func computedTexts(doc string) schema.Attribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: doc}
}

func computedNumber(doc string) schema.Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: doc}
}

func computedList(doc string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{Computed: true, MarkdownDescription: doc, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
}

func computedObject(doc string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: doc, Attributes: attributes}
}

// computedEntry identifies an entry of a policy.
func computedEntry(doc string) schema.Attribute {
	return computedObject(doc, map[string]schema.Attribute{
		"name": computedText("Name of the policy."), "kri": computedText("Identifier of the policy."),
		"rule_index": computedNumber("Position of the entry in the policy."),
	})
}
