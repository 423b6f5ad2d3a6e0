package functions

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// accessFunction computes which clients may call which services from documents and resources only.
func accessFunction() function.Function {
	return providerFunction{"access", runAccess, function.Definition{
		Summary:             "Computes which clients may call which services in a mesh",
		MarkdownDescription: describe("access"),
		Parameters: []function.Parameter{
			documentsParameter("documents", "All resources of the mesh: "),
			meshParameter,
		},
		VariadicParameter: optionsParameter(
			"`from` is a list of names of clients to include, services that they provide or Dataplanes, and `to` a list of names of services to " +
				"include, by default all; " + kumaVersionOption + "; " + shadowOption),
		Return: returnOf[answer.Access](),
	}}
}

func runAccess(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents types.Dynamic
	var meshName string
	var filter access.Filter
	c := newCall(ctx, req, resp, map[string]any{"from": &filter.From, "to": &filter.To}, &documents, &meshName)
	read := input.OfKinds(proxy.Kinds())
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

// meshLintFunction analyzes a mesh from documents and resources only.
func meshLintFunction() function.Function {
	return providerFunction{"mesh_lint", runMeshLint, function.Definition{
		Summary:             "Finds errors and ineffective settings in a mesh",
		MarkdownDescription: describe("mesh_lint"),
		Parameters: []function.Parameter{
			documentsParameter("documents", "All resources of the mesh: "),
			meshParameter,
		},
		VariadicParameter: optionsParameter(
			"`kuma3 = true` also reports what breaks or changes in Kuma 3.0, including resources of removed kinds; " + kumaVersionOption + "; " +
				shadowOption),
		Return: returnOf[answer.Lint](),
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
	setAnswer(ctx, resp, answer.OfLint(mesh, kuma3, nil, true))
}

// policyImpactFunction compares two states of a mesh, given as documents and
// resources.
func policyImpactFunction() function.Function {
	return providerFunction{"policy_impact", runPolicyImpact, function.Definition{
		Summary:             "Computes how a change affects the proxies of a mesh",
		MarkdownDescription: describe("policy_impact"),
		Parameters: []function.Parameter{
			documentsParameter("before", "Resources before the change: "),
			function.DynamicParameter{
				Name: "after", AllowUnknownValues: true,
				MarkdownDescription: "All resources after the change, in the same forms. Resources that are only in `before` count as deleted.",
			},
			meshParameter,
		},
		VariadicParameter: optionsParameter(
			"`types` is a list of kinds of policies to include, such as `[\"MeshHTTPRoute\"]`, by default all: " +
				"unknown values in policies of other kinds are ignored; " +
				kumaVersionOption + ". If it is not the release that stores `before`, the impact includes the upgrade; " + shadowOption +
				" after the change"),
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
	all := input.KindNames(impact.Kinds())
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

// requestFunction computes what happens to a request, without a control plane.
func requestFunction() function.Function {
	return providerFunction{"request", runRequest, function.Definition{
		Summary:             "Computes what happens to a request",
		MarkdownDescription: describe("request"),
		Parameters: []function.Parameter{
			documentsParameter("documents", "The resources of the mesh: "),
			function.DynamicParameter{Name: "request", MarkdownDescription: describe("request.request")},
		},
		VariadicParameter: optionsParameter(kumaVersionOption + "; " + shadowOption),
		Return:            returnOf[answer.Request](),
	}}
}

func runRequest(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents, asked types.Dynamic
	c := newCall(ctx, req, resp, nil, &documents, &asked)
	if c == nil {
		return
	}
	r := request.Request{Mesh: kuma.DefaultMesh}
	err := readObject(ctx, asked, "field", `{ dataplane = "web-1", service = "backend" }`, map[string]any{
		"mesh": &r.Mesh, "dataplane": &r.Dataplane, "client_service": &r.ClientService, "spiffe_id": &r.SPIFFEID, "service": &r.Service.Name,
		"host": &r.Service.Host, "port": &r.Service.Port, "method": &r.Method, "path": &r.Path, "headers": &r.Headers, "query": &r.Query,
	})
	clients := slices.DeleteFunc([]string{r.Dataplane, r.ClientService, r.SPIFFEID}, func(name string) bool { return name == "" })
	if err == nil && (len(clients) != 1 || (r.Service.Name == "") == (r.Service.Host == "")) {
		err = errors.New("exactly one of the fields service and host, and exactly one of dataplane, client_service and spiffe_id, are required")
	}
	if err != nil {
		resp.Error = argumentErrorAt(1, phrase.Sentence(err))
		return
	}
	read := input.OfKinds(request.Kinds())
	if !c.read(ctx, r.Mesh, []*input.Documents{read}, documents) {
		return
	}
	found, err := answer.OfRequest(c.mesh(r.Mesh, read), r)
	switch {
	case errors.Is(err, rules.ErrUnknownMesh):
		c.fail(err, 1, r.Mesh, read)
	case err != nil:
		resp.Error = argumentErrorAt(1, phrase.Sentence(err))
	default:
		setAnswer(ctx, resp, found)
	}
}
