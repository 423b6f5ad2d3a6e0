package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
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
		MarkdownDescription: "Writes a document as the `resource` block of its kind, to paste into a configuration: member by member, nothing added and nothing left out. " +
			"The document is checked like `kuma_manifest` checks it. Secrets in it are part of the text.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "document", MarkdownDescription: "The document as an object, in universal or Kubernetes format, such as one element of what `decode_documents` returns."},
		},
		Return: function.StringReturn{},
	}
}

func (encodeResourceFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var argument types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &argument); resp.Error != nil {
		return
	}
	text, err := resourceText(ctx, argument)
	if err != nil {
		resp.Error = argumentError(err)
		return
	}
	resp.Error = resp.Result.Set(ctx, text)
}

func resourceText(ctx context.Context, argument types.Dynamic) (string, error) {
	value, err := argument.UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		return "", err
	}
	doc, err := documentTree(value)
	if err != nil {
		return "", err
	}
	reader := document.Reader{Check: document.Members}
	read := reader.Value(doc)
	if len(read.Documents) == 0 {
		_, err := read.Only()
		return "", err
	}
	d := read.Documents[0]
	var wrong []string
	for _, p := range read.Problems {
		if !p.Warning {
			wrong = append(wrong, p.Path.String()+": "+p.Detail)
		}
	}
	for _, p := range d.Kind.ExtraMembers(d.Resource) {
		wrong = append(wrong, fmt.Sprintf("%s: %s has no attribute for this member. Use kuma_manifest, which sends it as it is.", p, tfschema.TypeName(d.Kind.Name)))
	}
	if wrong != nil {
		return "", errors.New("the document cannot be written as a resource. " + strings.Join(wrong, "\n"))
	}
	return configuration.Resource(ctx, d.Kind, d.Resource, configuration.Options{Defaults: true})
}
