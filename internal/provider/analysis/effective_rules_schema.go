package analysis

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

func policyRulesAttributes() map[string]schema.Attribute {
	text, texts, number, list, object := tfschema.ComputedText, tfschema.ComputedTexts, tfschema.ComputedNumber, tfschema.ComputedList, tfschema.ComputedObject
	meta := func() map[string]schema.Attribute {
		return map[string]schema.Attribute{
			"type": text("Kind of the resource."), "mesh": text("Mesh of the resource."), "name": text("Name of the resource."),
			"labels": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Labels of the resource."},
			"kri":    text("Identifier of the resource."),
		}
	}
	const originDoc = "The policies that the conf was merged from, lowest precedence first."
	metas := func() schema.Attribute { return list(originDoc, meta()) }
	origins := func() schema.Attribute {
		return list(originDoc, map[string]schema.Attribute{
			"resource_meta": object("The policy.", meta()),
			"rule_index":    number("Position of the entry in the policy."),
		})
	}
	rule := func() map[string]schema.Attribute {
		return map[string]schema.Attribute{
			"matchers": list("Conditions on the tags of the peer, all of which must be met. Empty for any peer.", map[string]schema.Attribute{
				"key": text("Name of the tag."), "value": text("Value of the tag."),
				"not": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the tag must not have this value."},
			}),
			"conf": text("Merged conf as JSON."), "origin": metas(),
		}
	}
	inbound := func() schema.Attribute {
		return object("The inbound that receives the traffic.", map[string]schema.Attribute{
			"name": text("Name of the inbound, if it has one."),
			"port": number("Port of the inbound."),
			"tags": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Tags of the inbound."},
		})
	}
	return map[string]schema.Attribute{
		"type": text("Kind of policy."),
		"to_rules": list("Rules for outgoing traffic to `kuma.io/service` destinations, most tags first. Empty for a mesh that uses MeshServices exclusively.",
			rule()),
		"to_resource_rules": list("Rules for outgoing traffic to resources: services and their ports, routes, and the mesh.", map[string]schema.Attribute{
			"resource_meta": object("The destination.", meta()), "resource_section_name": text("Port of the destination, empty for all."),
			"kri":  text("Identifier of the destination, its section included."),
			"conf": texts("Merged conf as JSON: one element, except for routes with hostnames."), "origin": origins(),
		}),
		"from_rules": list("Rules for incoming traffic by tags of the client (`from`), per inbound.", map[string]schema.Attribute{
			"inbound": inbound(), "rules": list("Rules, most tags first.", rule()),
		}),
		"inbound_rules": list("Rules for incoming traffic, per inbound.", map[string]schema.Attribute{
			"inbound": inbound(),
			"rules": list("Rules, most specific match first. They are not merged.", map[string]schema.Attribute{
				"match": text("Condition as JSON. Null for all traffic."), "conf": texts("Conf as JSON."), "origin": origins(),
			}),
		}),
		"proxy_rule": object("Settings of the proxy itself.", map[string]schema.Attribute{"conf": text("Merged conf as JSON."), "origin": metas()}),
		"warnings":   texts("Warnings of the control plane."),
	}
}
