package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// encodeResourceFunction writes a document as the resource of its kind: the way
// from YAML to blocks.
type encodeResourceFunction struct{}

var _ function.Function = encodeResourceFunction{}

func (encodeResourceFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "encode_resource"
}

func (encodeResourceFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Writes a document as a resource",
		MarkdownDescription: "Writes a document as a `resource` block to paste into a configuration: the resource of its kind, or a `kuma_manifest` where the kind has none or the document has members without an argument. " +
			"Nothing is added, and nothing is left out but labels that a control plane computes. The document is checked like `kuma_manifest` checks it. Secrets in it are part of the text. " +
			"To write many documents, with references to each other, use `encode_resources`.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "document", MarkdownDescription: "The document as an object, in universal or Kubernetes format, such as one element of what `decode_documents` returns."},
		},
		VariadicParameter: encodeOptionsParameter,
		Return:            function.StringReturn{},
	}
}

func (encodeResourceFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	runEncoding(ctx, req, resp, resourceText)
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
