package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// argumentError reports what is wrong with the only argument of a function.
// Terraform puts a sentence around the text, and a period behind it.
func argumentError(err error) *function.FuncError { return argumentErrorAt(0, phrase.Sentence(err)) }

// argumentErrorAt does the same for a function with several arguments.
func argumentErrorAt(position int64, text string) *function.FuncError {
	return function.NewArgumentFuncError(position, strings.TrimSuffix(text, "."))
}

// decodeDocuments reads a stream of YAML documents.
type decodeDocuments struct{}

var _ function.Function = decodeDocuments{}

func (decodeDocuments) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "decode_documents"
}

func (decodeDocuments) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Reads YAML documents",
		MarkdownDescription: "Reads a text with any number of YAML or JSON documents, separated by `---`, and returns them as a list of objects, for `kuma_manifest`. Terraform's own `yamldecode` takes one document only.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "yaml", MarkdownDescription: "The documents, in universal or Kubernetes format."},
		},
		Return: function.DynamicReturn{},
	}
}

func (decodeDocuments) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	docs, err := tree.DecodeYAML([]byte(text))
	if err != nil {
		resp.Error = argumentError(errors.New("the text is no YAML: " + phrase.Sentence(err)))
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

// encodeDocumentFunction writes a document as YAML.
type encodeDocumentFunction struct{}

var _ function.Function = encodeDocumentFunction{}

func (encodeDocumentFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "encode_document"
}

func (encodeDocumentFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Writes a resource as YAML",
		MarkdownDescription: "Writes a resource of this provider, or a document, as YAML that `kumactl apply -f` takes.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "resource", MarkdownDescription: "A whole resource, such as `kuma_mesh_timeout.web`, or a document as an object."},
		},
		Return: function.StringReturn{},
	}
}

func (encodeDocumentFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
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
	doc, err := objectTree(resource)
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
