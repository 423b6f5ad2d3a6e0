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
		Summary: "Encodes a document as a resource block",
		MarkdownDescription: "Encodes a document as a `resource` block to paste into a configuration: the resource of its kind, or a `kuma_manifest` if the kind has no resource or the document has fields without an argument. " +
			"Nothing is added, and only labels that a control plane computes are omitted. The document is checked in the same way as by `kuma_manifest`. The result contains the secrets of the document. " +
			"To encode many documents, with references to each other, use `encode_resources`.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "document", MarkdownDescription: "The document as an object, in universal or Kubernetes format, such as an element of the result of `decode_documents`."},
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
