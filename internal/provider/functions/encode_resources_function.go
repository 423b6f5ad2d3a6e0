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
		Summary: "Encodes documents as a configuration",
		MarkdownDescription: "Encodes documents as a configuration file with a `resource` block for each. If a resource names another one, such as its mesh or the service in a `targetRef`, its block refers to the other block, " +
			"so that Terraform creates and destroys them in the right order. Sensitive values become variables at the end of the file. Otherwise the blocks are the same as those of `encode_resource`.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", MarkdownDescription: "The documents as a list of objects, in universal or Kubernetes format, such as the result of `decode_documents`."},
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
