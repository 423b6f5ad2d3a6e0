package functions

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// policyImpactFunction compares two states of a mesh, given as documents and
// resources.
func policyImpactFunction() function.Function {
	return providerFunction{"policy_impact", runPolicyImpact, function.Definition{
		Summary:             "Computes how a change affects the proxies of a mesh",
		MarkdownDescription: describe("policy_impact"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "before", AllowUnknownValues: true, MarkdownDescription: "Resources before the change: " + documentsDescription + " For the resources that a control plane stores, use the `document` of each element of `kuma_resources`."},
			function.DynamicParameter{Name: "after", AllowUnknownValues: true, MarkdownDescription: "All resources after the change, in the same forms. Resources that are only in `before` count as deleted. " + plannedMeshDescription +
				"The mesh is not new either if `before` contains its document. Resources without the label `kuma.io/origin` get the labels of the control plane that stored the others."},
			function.StringParameter{Name: "mesh", MarkdownDescription: "Name of the mesh."},
		},
		VariadicParameter: optionsParameter("`types` is a list of kinds of policies to include, such as `[\"MeshHTTPRoute\"]`, by default all: unknown values in policies of other kinds are ignored; " +
			kumaVersionOption + ". With `kuma_version`, the impact includes that of an upgrade of the control plane if it is another release than the one that stores `before`; " + shadowOption + " after the change"),
		Return: returnOf[answer.Impact](),
	}}
}

func runPolicyImpact(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents [2]types.Dynamic
	var meshName string
	var options []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &documents[0], &documents[1], &meshName, &options); resp.Error != nil {
		return
	}
	var wanted []string
	var release kuma.Release
	var withShadow bool
	if err := readOptions(ctx, options, map[string]any{"types": &wanted, "kuma_version": &release, "with_shadow": &withShadow}); err != nil {
		resp.Error = argumentErrorAt(3, phrase.Sentence(err))
		return
	}
	for _, t := range wanted {
		if problem := analysis.NotAPolicy(t); problem != "" {
			resp.Error = argumentErrorAt(3, "types: "+problem)
			return
		}
	}
	all := input.KindNames(rules.Kinds())
	matters := func(kind string, _ map[string]any) bool {
		if len(wanted) == 0 {
			return slices.Contains(all, kind)
		}
		return slices.ContainsFunc(wanted, func(t string) bool { return rules.Influences(kind, t) })
	}
	before, after := input.NewDocuments(matters), input.NewDocuments(matters)
	for i, read := range []*input.Documents{before, after} {
		if err := readArgument(ctx, read, documents[i]); err != nil {
			resp.Error = argumentErrorAt(int64(i), phrase.Sentence(err))
			return
		}
	}
	if before.Unknown || after.Unknown {
		setUnknown(ctx, resp)
		return
	}
	was, is := input.Change(before, after, meshName, release)
	is.WithShadow = withShadow
	found, err := answer.OfImpact(was, is, wanted, true)
	switch {
	case errors.Is(err, rules.ErrUnknownMesh):
		resp.Error = argumentErrorAt(2, phrase.Sentence(input.MissingMesh(meshName, before, after)))
	case err != nil:
		resp.Error = callError(err)
	default:
		setAnswer(ctx, resp, found)
	}
}
