package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// decodeDocumentsFunction decodes a stream of YAML documents.
func decodeDocumentsFunction() function.Function {
	return providerFunction{"decode_documents", runDecodeDocuments, function.Definition{
		Summary:             "Decodes YAML documents",
		MarkdownDescription: describe("decode_documents"),
		Parameters: []function.Parameter{
			function.StringParameter{Name: "yaml", MarkdownDescription: "The documents, in universal or Kubernetes format."},
		},
		Return: function.DynamicReturn{},
	}}
}

func runDecodeDocuments(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	docs, err := tree.DecodeYAML([]byte(text))
	if err != nil {
		resp.Error = argumentError(errors.New("the string is not valid YAML: " + phrase.Sentence(err)))
		return
	}
	for i, doc := range docs {
		if _, ok := doc.(map[string]any); !ok {
			resp.Error = argumentError(fmt.Errorf("document %d is %s, not an object", i+1, tree.Describe(doc)))
			return
		}
	}
	resp.Error = resp.Result.Set(ctx, types.DynamicValue(tfvalue.FromTree(ctx, docs)))
}
