package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// parseKRIFunction parses an identifier.
func parseKRIFunction() function.Function {
	attributes := map[string]attr.Type{"kind": types.StringType}
	for _, name := range partNames() {
		attributes[name] = types.StringType
	}
	return providerFunction{"parse_kri", runParseKRI, function.Definition{
		Summary:             "Parses an identifier (KRI)",
		MarkdownDescription: describe("parse_kri"),
		Parameters:          []function.Parameter{function.StringParameter{Name: "kri", MarkdownDescription: "The identifier, such as `kri_msvc_shop_zone-1__checkout_http`."}},
		Return:              function.ObjectReturn{AttributeTypes: attributes},
	}}
}

func runParseKRI(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	id, err := kuma.ParseKRI(text)
	if err != nil {
		resp.Error = argumentError(err)
		return
	}
	resp.Error = resp.Result.Set(ctx, struct {
		Kind      types.String `tfsdk:"kind"`
		ShortName types.String `tfsdk:"short_name"`
		Mesh      types.String `tfsdk:"mesh"`
		Zone      types.String `tfsdk:"zone"`
		Namespace types.String `tfsdk:"namespace"`
		Name      types.String `tfsdk:"name"`
		Section   types.String `tfsdk:"section"`
	}{
		tfvalue.OptionalString(kindOf(id.ShortName)), tfvalue.OptionalString(id.ShortName), tfvalue.OptionalString(id.Mesh), tfvalue.OptionalString(id.Zone), tfvalue.OptionalString(id.Namespace), tfvalue.OptionalString(id.Name), tfvalue.OptionalString(id.Section),
	})
}

// kindOf returns the kind with a short name, empty when it is unknown.
func kindOf(shortName string) string {
	for _, k := range kinds.All() {
		if shortName != "" && k.ShortName == shortName {
			return k.Name
		}
	}
	return ""
}
