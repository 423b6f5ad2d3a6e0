package functions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// documentsDescription describes the values of an argument with resources.
const documentsDescription = "[documents](../guides/common-arguments.md#functions) as strings in YAML or JSON or as objects, and whole " +
	"resources such as `kuma_mesh_timeout.web`."

// documentsParameter is an argument with resources that may not be known yet.
func documentsParameter(name, doc string) function.Parameter {
	return function.DynamicParameter{Name: name, AllowUnknownValues: true, MarkdownDescription: doc + documentsDescription}
}

var meshParameter = function.StringParameter{Name: "mesh", MarkdownDescription: "Name of the mesh."}

// returnOf is the type of an answer.
func returnOf[Answer any]() function.ObjectReturn {
	out := map[string]attr.Type{}
	for name, a := range tfschema.ComputedOf(reflect.TypeFor[Answer](), func(string, string) string { return "" }) {
		out[name] = a.GetType()
	}
	return function.ObjectReturn{AttributeTypes: out}
}

// setAnswer sets the result of a function.
func setAnswer(ctx context.Context, resp *function.RunResponse, found any) {
	result := resp.Result.Value().Type(ctx)
	if result == types.DynamicType {
		resp.Error = resp.Result.Set(ctx, types.DynamicValue(tfvalue.FromTree(ctx, tree.OfWithNulls(found))))
		return
	}
	value, err := tfvalue.OfType(ctx, result.TerraformType(ctx), tree.Of(found))
	setValue(ctx, resp, value, err)
}

// textAbout returns what a function does that returns a text about its only argument.
func textAbout(of func(tftypes.Value) (string, error)) func(context.Context, function.RunRequest, *function.RunResponse) {
	return func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
		var argument types.Dynamic
		if resp.Error = req.Arguments.Get(ctx, &argument); resp.Error == nil {
			setText(ctx, resp, argument, of)
		}
	}
}

// setText sets the result of a function to the text about its argument, which is unknown with
// [document.ErrUnknown].
func setText(ctx context.Context, resp *function.RunResponse, argument types.Dynamic, of func(tftypes.Value) (string, error)) {
	value, err := argument.ToTerraformValue(ctx)
	var text string
	if err == nil {
		text, err = of(value)
	}
	switch {
	case errors.Is(err, document.ErrUnknown):
		setUnknown(ctx, resp)
	case err != nil:
		resp.Error = argumentError(err)
	default:
		resp.Error = resp.Result.Set(ctx, text)
	}
}

// setUnknown sets the result of a function to an unknown value.
func setUnknown(ctx context.Context, resp *function.RunResponse) {
	setValue(ctx, resp, tftypes.NewValue(resp.Result.Value().Type(ctx).TerraformType(ctx), tftypes.UnknownValue), nil)
}

func setValue(ctx context.Context, resp *function.RunResponse, v tftypes.Value, err error) {
	var result attr.Value
	if err == nil {
		result, err = resp.Result.Value().Type(ctx).ValueFromTerraform(ctx, v)
	}
	if err != nil {
		resp.Error = callError(err)
		return
	}
	resp.Result = function.NewResultData(result)
}

// analysisCall is a call of a function that analyzes documents.
type analysisCall struct {
	resp    *function.RunResponse
	options int64 // position of the options
	release kuma.Release
	shadow  bool
}

// newCall reads the arguments of a function, its options into the variables with their names, and
// those that all analyses have. With an error in the response, there is none.
func newCall(ctx context.Context, req function.RunRequest, resp *function.RunResponse, options map[string]any,
	arguments ...any,
) *analysisCall {
	c := &analysisCall{resp: resp, options: int64(len(arguments))}
	var given []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, append(arguments, &given)...); resp.Error != nil {
		return nil
	}
	all := map[string]any{"kuma_version": &c.release, "with_shadow": &c.shadow}
	maps.Copy(all, options)
	if err := readOptions(ctx, given, all); err != nil {
		resp.Error = argumentErrorAt(c.options, phrase.Sentence(err))
		return nil
	}
	return c
}

// read collects the documents of a mesh in the first arguments, and reports whether there is something
// to compute.
func (c *analysisCall) read(ctx context.Context, mesh string, into []*input.Documents, arguments ...types.Dynamic) bool {
	unknown := false
	for i, v := range arguments {
		err := readArgument(ctx, into[i], v)
		if err == nil {
			err = input.CheckMesh(mesh, into[:i+1]...)
		}
		if err != nil {
			c.resp.Error = argumentErrorAt(int64(i), phrase.Sentence(err))
			return false
		}
		unknown = unknown || into[i].Unknown
	}
	if unknown {
		setUnknown(ctx, c.resp)
	}
	return !unknown
}

// mesh returns the mesh of documents to analyze.
func (c *analysisCall) mesh(name string, documents *input.Documents) input.Mesh {
	m := documents.Mesh(name, c.release)
	m.WithShadow = c.shadow
	return m
}

// fail reports why there is no answer, a missing mesh on the argument with its name.
func (c *analysisCall) fail(err error, ofMesh int64, mesh string, documents ...*input.Documents) {
	c.resp.Error = callError(err)
	if errors.Is(err, rules.ErrUnknownMesh) {
		c.resp.Error = argumentErrorAt(ofMesh, phrase.Sentence(input.MissingMesh(mesh, documents...)))
	}
}

// reject reports the first of the errors about arguments, which are fields of an object at a
// position, and returns whether there is one.
func (c *analysisCall) reject(position int64, err error) bool {
	found, ok := errors.AsType[*answer.ArgumentError](err)
	if ok {
		c.resp.Error = argumentErrorAt(position, strings.Join(found.Argument, ".")+": "+found.Detail)
	}
	return ok
}

// readArgument collects the documents of an argument: a string, an object, a whole resource, or a
// list of them.
func readArgument(ctx context.Context, into *input.Documents, v types.Dynamic) error {
	value, err := v.ToTerraformValue(ctx)
	if err != nil {
		return err
	}
	return readValue(into, value)
}

func readValue(into *input.Documents, v tftypes.Value) error {
	if !v.IsKnown() {
		into.Unknown = true
		return nil
	}
	if v.IsNull() {
		return errors.New("must not be null")
	}
	switch {
	case v.Type().Is(tftypes.String):
		var text string
		if err := v.As(&text); err != nil {
			return err
		}
		return into.Text([]byte(text))
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		doc, err := tfvalue.Document(v)
		if doc == nil {
			into.Unknown = into.Unknown || err == nil
			return err
		}
		return into.Value(doc, tfvalue.IsResource(v))
	case v.Type().Is(tftypes.Tuple{}), v.Type().Is(tftypes.List{}), v.Type().Is(tftypes.Set{}):
		var elems []tftypes.Value
		if err := v.As(&elems); err != nil {
			return err
		}
		for i, e := range elems {
			if err := readValue(into, e); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return nil
	}
	return errors.New("must be a string with YAML documents, an object, or a whole resource")
}
