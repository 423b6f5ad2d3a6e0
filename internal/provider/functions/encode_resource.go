package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// encodeResourceFunction encodes a document as the resource of its kind.
func encodeResourceFunction() function.Function {
	return providerFunction{"encode_resource", runEncoding(resourceText), function.Definition{
		Summary:             "Encodes a document as a resource block",
		MarkdownDescription: describe("encode_resource"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "document", MarkdownDescription: describe("encode_resource.document")},
		},
		VariadicParameter: encodeOptionsParameter,
		Return:            function.StringReturn{},
	}}
}

func resourceText(ctx context.Context, argument types.Dynamic, o configuration.Options) (string, error) {
	value, err := argument.UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		return "", err
	}
	r, err := resourceToEncode(value, o)
	if err != nil {
		return "", err
	}
	o.SecretValues = true
	return configuration.File(ctx, []kuma.Resource{r}, o)
}
