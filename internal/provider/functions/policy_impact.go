package functions

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// policyImpactFunction compares two states of a mesh, given as documents and
// resources.
func policyImpactFunction() function.Function {
	return providerFunction{"policy_impact", runPolicyImpact, function.Definition{
		Summary:             "Computes how a change affects the proxies of a mesh",
		MarkdownDescription: describe("policy_impact"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "before", AllowUnknownValues: true, MarkdownDescription: "Resources before the change: " + documentsDescription},
			function.DynamicParameter{Name: "after", AllowUnknownValues: true, MarkdownDescription: "All resources after the change, in the same forms. Resources that are only in `before` count as deleted."},
			function.StringParameter{Name: "mesh", MarkdownDescription: "Name of the mesh."},
		},
		VariadicParameter: optionsParameter("`types` is a list of kinds of policies to include, such as `[\"MeshHTTPRoute\"]`, by default all: unknown values in policies of other kinds are ignored; " +
			kumaVersionOption + ". If it is not the release that stores `before`, the impact includes the upgrade; " + shadowOption + " after the change"),
		Return: returnOf[answer.Impact](),
	}}
}

func runPolicyImpact(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents [2]types.Dynamic
	var meshName string
	var wanted []string
	c := newCall(ctx, req, resp, map[string]any{"types": &wanted}, &documents[0], &documents[1], &meshName)
	if c == nil {
		return
	}
	if c.reject(c.options, answer.CheckTypes(wanted)) {
		return
	}
	all := input.KindNames(rules.Kinds())
	matters := func(kind string, _ map[string]any) bool {
		if len(wanted) == 0 {
			return slices.Contains(all, kind)
		}
		return slices.ContainsFunc(wanted, func(t string) bool { return rules.Influences(kind, t) })
	}
	before, after := input.NewDocuments(matters), input.NewDocuments(matters)
	if !c.read(ctx, meshName, []*input.Documents{before, after}, documents[:]...) {
		return
	}
	was, is := input.Change(before, after, meshName, c.release)
	is.WithShadow = c.shadow
	found, err := answer.OfImpact(was, is, wanted, true)
	if err != nil {
		c.fail(err, 2, meshName, before, after)
		return
	}
	setAnswer(ctx, resp, found)
}
