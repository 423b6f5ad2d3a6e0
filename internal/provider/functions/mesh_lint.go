package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// meshLintFunction analyzes a mesh from documents and resources only.
func meshLintFunction() function.Function {
	return providerFunction{"mesh_lint", runMeshLint, function.Definition{
		Summary:             "Finds errors and ineffective settings in a mesh",
		MarkdownDescription: describe("mesh_lint"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", AllowUnknownValues: true, MarkdownDescription: "All resources of the mesh: " + documentsDescription + " For what a control plane stores, use the `document` of each element of `kuma_resources`. " +
				"Of several with the same kind, mesh and name the last one counts, so that planned resources can follow stored ones. " + plannedMeshDescription + "Resources without the label `kuma.io/origin` get the labels of the control plane that stored the others."},
			function.StringParameter{Name: "mesh", MarkdownDescription: "Name of the mesh."},
		},
		VariadicParameter: optionsParameter("`kuma3 = true` also reports what breaks or changes in Kuma 3.0, including resources of removed kinds; " + kumaVersionOption + "; " + shadowOption),
		Return:            function.ObjectReturn{AttributeTypes: attributeTypes(analysis.LintAttributes())},
	}}
}

func runMeshLint(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents types.Dynamic
	var meshName string
	var options []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &documents, &meshName, &options); resp.Error != nil {
		return
	}
	var kuma3, withShadow bool
	var release kuma.Release
	if err := readOptions(ctx, options, map[string]any{"kuma3": &kuma3, "kuma_version": &release, "with_shadow": &withShadow}); err != nil {
		resp.Error = argumentErrorAt(2, phrase.Sentence(err))
		return
	}
	names := analysis.KindNames(lint.Kinds(kuma3))
	read := input.OfKinds(names)
	read.Reader.Accept = names
	if err := readArgument(ctx, read, documents); err != nil {
		resp.Error = argumentError(err)
		return
	}
	if read.Unknown {
		resp.Error = resp.Result.Set(ctx, types.ObjectUnknown(attributeTypes(analysis.LintAttributes())))
		return
	}
	mesh := read.Mesh(meshName, release)
	mesh.WithShadow = withShadow
	if !mesh.Exists() {
		resp.Error = argumentErrorAt(1, phrase.Sentence(input.MissingMesh(meshName, read)))
		return
	}
	snapshot, caveat := mesh.Snapshot()
	var stored *rules.Snapshot
	if kuma3 {
		stored, _ = mesh.AsStored().Snapshot()
	}
	var result analysis.LintModel
	findings := analysis.LintFindings(snapshot, stored, meshName)
	result.Show(meshName, findings, findings, mesh.Resources)
	result.Summary = types.StringValue(input.AfterCaveat(caveat, result.Summary.ValueString()))
	resp.Error = resp.Result.Set(ctx, &result)
}
