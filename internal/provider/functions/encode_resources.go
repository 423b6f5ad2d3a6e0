package functions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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
)

// This file contains what the functions that generate configuration share.

var encodeOptionsParameter = function.DynamicParameter{
	Name: "options",
	MarkdownDescription: "Object of options, which default to `false`: `import` adds an `import` block to each resource and omits Kuma's defaults, as an import does; `computed_labels` keeps labels that a control plane computes, " +
		"such as `kuma.io/origin`. At most one object is allowed.",
}

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
	o := configuration.Options{Defaults: true}
	if len(arguments) == 0 {
		return o, nil
	}
	if len(arguments) > 1 {
		return o, errors.New("only one object of options is allowed")
	}
	value, err := arguments[0].UnderlyingValue().ToTerraformValue(ctx)
	if err != nil {
		return o, err
	}
	if !value.Type().Is(tftypes.Object{}) && !value.Type().Is(tftypes.Map{}) {
		return o, errors.New("the options must be an object, such as { import = true }")
	}
	values, err := tfvalue.Attributes(value)
	if err != nil {
		return o, err
	}
	options := map[string]*bool{"import": &o.Imports, "computed_labels": &o.ComputedLabels}
	names := slices.Sorted(maps.Keys(options))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		option, ok := options[name]
		if !ok {
			return o, fmt.Errorf("%q is not a valid option. Valid options: %s.%s", name, phrase.Or(names...), phrase.Suggest(name, names))
		}
		if v.IsNull() {
			continue
		}
		if !v.Type().Is(tftypes.Bool) {
			return o, fmt.Errorf("%s must be true or false", name)
		}
		if err := v.As(option); err != nil {
			return o, err
		}
	}
	o.Defaults = !o.Imports // otherwise the first plan would set them in the state
	return o, nil
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
