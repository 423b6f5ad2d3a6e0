package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// accessFunction computes which clients may call which services from documents and resources only.
func accessFunction() function.Function {
	return providerFunction{"access", runAccess, function.Definition{
		Summary:             "Computes which clients may call which services in a mesh",
		MarkdownDescription: describe("access"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", AllowUnknownValues: true, MarkdownDescription: "All resources of the mesh: " + documentsDescription},
			function.StringParameter{Name: "mesh", MarkdownDescription: "Name of the mesh."},
		},
		VariadicParameter: optionsParameter("`from` is a list of names of clients to include, services that they provide or Dataplanes, and `to` a list of names of services to include, by default all; " + kumaVersionOption + "; " + shadowOption),
		Return:            returnOf[answer.Access](),
	}}
}

func runAccess(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents types.Dynamic
	var meshName string
	var filter access.Filter
	c := newCall(ctx, req, resp, map[string]any{"from": &filter.From, "to": &filter.To}, &documents, &meshName)
	read := input.OfKinds(rules.Kinds())
	if c == nil || !c.read(ctx, meshName, []*input.Documents{read}, documents) {
		return
	}
	found, err := answer.OfAccess(c.mesh(meshName, read), filter, true)
	switch missing := found.Missing(); {
	case err != nil:
		c.fail(err, 1, meshName, read)
	case missing != nil:
		resp.Error = argumentErrorAt(c.options, phrase.Sentence(missing))
	default:
		setAnswer(ctx, resp, found)
	}
}
