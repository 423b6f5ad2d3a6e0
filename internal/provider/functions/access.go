package functions

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// accessFunction computes which clients may call which services from documents and resources only.
func accessFunction() function.Function {
	return providerFunction{"access", runAccess, function.Definition{
		Summary:             "Computes which clients may call which services in a mesh",
		MarkdownDescription: describe("access"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", AllowUnknownValues: true, MarkdownDescription: "All resources of the mesh: " + documentsDescription + " For what a control plane stores, use the `document` of each element of `kuma_resources`. " +
				"Of several with the same kind, mesh and name the last one counts, so that planned resources can follow stored ones. " + plannedMeshDescription + "Resources without the label `kuma.io/origin` get the labels of the control plane that stored the others."},
			function.StringParameter{Name: "mesh", MarkdownDescription: "Name of the mesh."},
		},
		VariadicParameter: optionsParameter("`from` is a list of names of clients to include, services that they provide or Dataplanes, and `to` a list of names of services to include, by default all; " + kumaVersionOption + "; " + shadowOption),
		Return:            returnOf[answer.Access](),
	}}
}

func runAccess(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents types.Dynamic
	var meshName string
	var options []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &documents, &meshName, &options); resp.Error != nil {
		return
	}
	var filter access.Filter
	var release kuma.Release
	var withShadow bool
	if err := readOptions(ctx, options, map[string]any{"from": &filter.From, "to": &filter.To, "kuma_version": &release, "with_shadow": &withShadow}); err != nil {
		resp.Error = argumentErrorAt(2, phrase.Sentence(err))
		return
	}
	read := input.OfKinds(rules.Kinds())
	if err := readArgument(ctx, read, documents); err != nil {
		resp.Error = argumentError(err)
		return
	}
	if read.Unknown {
		setUnknown(ctx, resp)
		return
	}
	mesh := read.Mesh(meshName, release)
	mesh.WithShadow = withShadow
	found, err := answer.OfAccess(mesh, filter, true)
	switch missing := found.Missing(); {
	case errors.Is(err, rules.ErrUnknownMesh):
		resp.Error = argumentErrorAt(1, phrase.Sentence(input.MissingMesh(meshName, read)))
	case err != nil:
		resp.Error = callError(err)
	case missing != nil:
		resp.Error = argumentErrorAt(2, phrase.Sentence(missing))
	default:
		setAnswer(ctx, resp, found)
	}
}
