package functions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
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

// encodeDocumentFunction encodes a document as YAML.
func encodeDocumentFunction() function.Function {
	return providerFunction{"encode_document", textAbout(documentText), function.Definition{
		Summary:             "Encodes a resource as YAML",
		MarkdownDescription: "Encodes a resource of this provider, or a document, as YAML for `kumactl apply -f`.",
		Parameters: []function.Parameter{
			function.DynamicParameter{
				Name:                "resource",
				MarkdownDescription: "A whole resource, such as `kuma_mesh_timeout.web`, or a document as an object.",
			},
		},
		Return: function.StringReturn{},
	}}
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

// This file contains what the functions that generate configuration share.

var encodeOptionsParameter = optionsParameter(
	"`import` adds an `import` block to each resource and omits Kuma's defaults, as an import does; `computed_labels` keeps labels that a " +
		"control plane computes, " +
		"such as `kuma.io/origin`. Both default to `false`")

// runEncoding returns what a function does that encodes documents with options.
func runEncoding(
	write func(tftypes.Value, configuration.Options) (string, error),
) func(context.Context, function.RunRequest, *function.RunResponse) {
	return func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
		var argument types.Dynamic
		var options []types.Dynamic
		if resp.Error = req.Arguments.Get(ctx, &argument, &options); resp.Error != nil {
			return
		}
		o, err := encodeOptions(ctx, options)
		if err != nil {
			resp.Error = argumentErrorAt(1, err.Error())
			return
		}
		setText(ctx, resp, argument, func(v tftypes.Value) (string, error) { return write(v, o) })
	}
}

// encodeOptions reads the options of a function.
func encodeOptions(ctx context.Context, arguments []types.Dynamic) (configuration.Options, error) {
	var o configuration.Options
	err := readOptions(ctx, arguments, map[string]any{"import": &o.Imports, "computed_labels": &o.ComputedLabels})
	o.Defaults = !o.Imports // otherwise the first plan would set them in the state
	return o, err
}

// resourceToEncode reads a document to encode: unchanged, or as a control plane stores
// it if defaults are omitted. The error lists all problems.
func resourceToEncode(v tftypes.Value, o configuration.Options) (kuma.Resource, error) {
	doc, err := tfvalue.ObjectDocument(v)
	if err != nil {
		return kuma.Resource{}, err
	}
	reader := document.Reader{Check: document.Fields, UnknownKinds: document.Take}
	read := reader.Value(doc)
	if len(read.Documents) == 0 {
		_, err := read.Only()
		return kuma.Resource{}, err
	}
	d := read.Documents[0]
	if _, misspelled := kinds.Misspelled(d.Resource.Type); !d.Described && misspelled {
		return kuma.Resource{}, document.UnknownKind(d.Resource.Type)
	}
	var wrong []string
	for _, p := range read.Problems {
		if !p.Warning {
			wrong = append(wrong, p.Error())
		}
	}
	if wrong != nil {
		return kuma.Resource{}, errors.New("cannot encode the document as a resource. " + strings.Join(wrong, "\n"))
	}
	if d.Described && !o.Defaults {
		d.Resource.Body = d.Kind.Store(d.Resource, def.StoreContext{}).Body
	}
	return d.Resource, nil
}

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

func resourceText(value tftypes.Value, o configuration.Options) (string, error) {
	r, err := resourceToEncode(value, o)
	if err != nil {
		return "", err
	}
	o.SecretValues = true
	return configuration.File([]kuma.Resource{r}, o)
}

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

func resourcesText(value tftypes.Value, o configuration.Options) (string, error) {
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
	return configuration.File(resources, o)
}
