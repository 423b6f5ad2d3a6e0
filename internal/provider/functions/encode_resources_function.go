package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// encodeResourcesFunction encodes documents as a configuration file.
func encodeResourcesFunction() function.Function {
	return providerFunction{"encode_resources", runEncoding(resourcesText), function.Definition{
		Summary:             "Encodes documents as a configuration",
		MarkdownDescription: describe("encode_resources"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", MarkdownDescription: describe("encode_resources.documents")},
		},
		VariadicParameter: encodeOptionsParameter,
		Return:            function.StringReturn{},
	}}
}

func resourcesText(ctx context.Context, argument types.Dynamic, o configuration.Options) (string, error) {
	value, err := argument.UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		return "", err
	}
	var elements []tftypes.Value
	if value.Type().Is(tftypes.Object{}) || value.As(&elements) != nil {
		return "", errors.New("must be a list of documents, such as the result of decode_documents")
	}
	resources := make([]kuma.Resource, len(elements))
	seen := map[kuma.Key]bool{}
	for i, e := range elements {
		r, err := resourceToEncode(e, o)
		if err != nil {
			return "", fmt.Errorf("element %d: %w", i, err)
		}
		if seen[r.Key()] {
			return "", fmt.Errorf("element %d: %s is in the list twice", i, r.Key())
		}
		resources[i], seen[r.Key()] = r, true
	}
	return configuration.File(ctx, resources, o)
}
