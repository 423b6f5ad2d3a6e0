package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// encodeDocumentFunction encodes a document as YAML.
func encodeDocumentFunction() function.Function {
	return providerFunction{"encode_document", runEncodeDocument, function.Definition{
		Summary:             "Encodes a resource as YAML",
		MarkdownDescription: "Encodes a resource of this provider, or a document, as YAML for `kumactl apply -f`.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "resource", MarkdownDescription: "A whole resource, such as `kuma_mesh_timeout.web`, or a document as an object."},
		},
		Return: function.StringReturn{},
	}}
}

func runEncodeDocument(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var argument types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &argument); resp.Error != nil {
		return
	}
	value, err := argument.UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		resp.Error = argumentError(err)
		return
	}
	text, err := documentText(value)
	if err != nil {
		resp.Error = argumentError(err)
		return
	}
	resp.Error = resp.Result.Set(ctx, text)
}

func documentText(resource tftypes.Value) (string, error) {
	doc, err := tfvalue.Document(resource)
	if err != nil {
		return "", err
	}
	var reader document.Reader
	d, err := reader.Value(doc).Only()
	if err != nil {
		return "", err
	}
	text, err := tree.EncodeYAML(d.Resource.Document())
	return string(text), err
}
