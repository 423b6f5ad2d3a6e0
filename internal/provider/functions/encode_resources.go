package functions

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// This file contains what the functions that generate configuration share.

var encodeOptionsParameter = optionsParameter("`import` adds an `import` block to each resource and omits Kuma's defaults, as an import does; `computed_labels` keeps labels that a control plane computes, " +
	"such as `kuma.io/origin`. Both default to `false`")

// runEncoding returns what a function does that encodes documents with options.
func runEncoding(write func(context.Context, types.Dynamic, configuration.Options) (string, error)) func(context.Context, function.RunRequest, *function.RunResponse) {
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
		text, err := write(ctx, argument, o)
		if err != nil {
			resp.Error = argumentError(err)
			return
		}
		resp.Error = resp.Result.Set(ctx, text)
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
