package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// meshLintFunction looks at documents and resources alone.
type meshLintFunction struct{}

var _ function.Function = meshLintFunction{}

func (meshLintFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "mesh_lint"
}

func (meshLintFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Finds what is wrong or dead in a mesh",
		MarkdownDescription: "Looks, in documents and resources alone and without a control plane, for what the data source `kuma_mesh_lint` finds: references to nothing, policies that select no proxy, entries that are overridden everywhere. " +
			"The result is an object with its computed attributes: `findings`, `counts` and `summary`. It does not look for what Kuma 3.0 will treat otherwise. " +
			"Resources may have values that are not known yet, for which Terraform would postpone the data source until after the apply: the result is unknown only when they can change it. The address of a Dataplane cannot.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", AllowUnknownValues: true, MarkdownDescription: "All resources of the mesh: " + documentsDescription + " For what a control plane stores, use the `document` of each element of `kuma_resources`. " +
				"Of several with the same kind, mesh and name the last one counts, so that planned resources can follow stored ones. Resources without the label `kuma.io/origin` get the labels of the control plane that stored the others."},
			function.StringParameter{Name: "mesh", MarkdownDescription: "Name of the mesh."},
		},
		Return: function.ObjectReturn{AttributeTypes: attributeTypes(lintAttributes())},
	}
}

func (meshLintFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents types.Dynamic
	var meshName string
	if resp.Error = req.Arguments.Get(ctx, &documents, &meshName); resp.Error != nil {
		return
	}
	looked := kindNames(lint.Kinds())
	read := newFunctionDocuments(func(kind string, _ map[string]any) bool { return slices.Contains(looked, kind) })
	if err := read.argument(ctx, documents); err != nil {
		resp.Error = argumentError(err)
		return
	}
	if read.unknown {
		resp.Error = resp.Result.Set(ctx, types.ObjectUnknown(attributeTypes(lintAttributes())))
		return
	}
	resources := withDefaultMesh(read.stored(read.controlPlane()), meshName)
	var result lintModel
	result.show(meshName, lint.Mesh(rules.NewSnapshot(resources), meshName), resources)
	resp.Error = resp.Result.Set(ctx, &result)
}
