package functions

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
	read := newFunctionDocuments(func(kind string, _ map[string]any) bool { return slices.Contains(names, kind) })
	read.reader.Accept = names
	if err := read.argument(ctx, documents); err != nil {
		resp.Error = argumentError(err)
		return
	}
	if read.unknown {
		resp.Error = resp.Result.Set(ctx, types.ObjectUnknown(attributeTypes(analysis.LintAttributes())))
		return
	}
	storedRelease := storedBy(release, read)
	release = cmp.Or(release, storedRelease)
	resources, caveat := read.readBy(meshName, storedRelease, release)
	resources = inEffect(resources, withShadow)
	var stored *rules.Snapshot
	if kuma3 {
		asStored, _ := read.readBy(meshName, storedRelease, storedRelease)
		stored = rules.NewSnapshotFor(storedRelease, inEffect(asStored, withShadow))
	}
	var result analysis.LintModel
	if !slices.ContainsFunc(resources, func(r kuma.Resource) bool { return r.Key() == kuma.MeshKey(meshName) }) {
		resp.Error = argumentErrorAt(1, missingMesh(meshName, read))
		return
	}
	findings := analysis.LintFindings(rules.NewSnapshotFor(release, resources), stored, meshName)
	result.Show(meshName, findings, findings, resources)
	result.Summary = analysis.AfterCaveat(caveat, result.Summary.ValueString())
	resp.Error = resp.Result.Set(ctx, &result)
}
