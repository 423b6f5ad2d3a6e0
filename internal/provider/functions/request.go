package functions

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// requestFunction computes what happens to a request, without a control plane.
func requestFunction() function.Function {
	return providerFunction{"request", runRequest, function.Definition{
		Summary:             "Computes what happens to a request",
		MarkdownDescription: describe("request"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", AllowUnknownValues: true, MarkdownDescription: "The resources of the mesh: " + documentsDescription},
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
		"mesh": &r.Mesh, "dataplane": &r.Dataplane, "client_service": &r.ClientService, "spiffe_id": &r.SPIFFEID, "service": &r.Service.Name, "host": &r.Service.Host, "port": &r.Service.Port, "method": &r.Method, "path": &r.Path, "headers": &r.Headers, "query": &r.Query,
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
