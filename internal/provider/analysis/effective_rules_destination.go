package analysis

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// destinationModel identifies the destination of outgoing traffic.
type destinationModel struct {
	Kind        types.String `tfsdk:"kind"`
	Name        types.String `tfsdk:"name"`
	Labels      types.Map    `tfsdk:"labels"`
	SectionName types.String `tfsdk:"section_name"`
	Route       types.String `tfsdk:"route"`
}

func destinationBlock() schema.Block {
	text := func(doc string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: doc}
	}
	return schema.SingleNestedBlock{
		MarkdownDescription: describe("effective_rules_destination"),
		Attributes: map[string]schema.Attribute{
			"kind": text("Kind of the destination: " + phrase.Or(rules.DestinationKinds()...) + ". If unset, exactly one resource of any of these kinds must match."),
			"name": text("Name or display name of the destination. For a MeshService it may also be the value of the tag `kuma.io/service` if no resource has that name."),
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Labels that the destination must have. Exactly one destination must match `name` and `labels`.",
			},
			"section_name": text("Name of the port, or its number if it has no name. If unset, the result is the one for ports without their own settings."),
			"route":        text("Name or identifier (KRI) of the route that the traffic takes. If unset, the traffic does not match a route."),
		},
	}
}
