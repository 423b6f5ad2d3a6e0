package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// meshLintFunction analyzes a mesh from documents and resources only.
func meshLintFunction() function.Function {
	return providerFunction{"mesh_lint", runMeshLint, function.Definition{
		Summary:             "Finds errors and ineffective settings in a mesh",
		MarkdownDescription: describe("mesh_lint"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", AllowUnknownValues: true, MarkdownDescription: "All resources of the mesh: " + documentsDescription},
			function.StringParameter{Name: "mesh", MarkdownDescription: "Name of the mesh."},
		},
		VariadicParameter: optionsParameter("`kuma3 = true` also reports what breaks or changes in Kuma 3.0, including resources of removed kinds; " + kumaVersionOption + "; " + shadowOption),
		Return:            returnOf[answer.Lint](),
	}}
}

func runMeshLint(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents types.Dynamic
	var meshName string
	var kuma3 bool
	c := newCall(ctx, req, resp, map[string]any{"kuma3": &kuma3}, &documents, &meshName)
	read := input.OfKinds(lint.Kinds())
	if c == nil || !c.read(ctx, meshName, []*input.Documents{read}, documents) {
		return
	}
	mesh := c.mesh(meshName, read)
	if !mesh.Exists() {
		c.fail(rules.ErrUnknownMesh, 1, meshName, read)
		return
	}
	setAnswer(ctx, resp, answer.OfLint(mesh, kuma3, func(lint.Finding) bool { return false }, true))
}
