package functions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// effectiveRulesFunction runs the engine on documents and resources, without a control
// plane.
func effectiveRulesFunction() function.Function {
	return providerFunction{"effective_rules", runEffectiveRules, function.Definition{
		Summary:             "Computes the effective rules of proxies",
		MarkdownDescription: describe("effective_rules"),
		Parameters: []function.Parameter{
			documentsParameter("documents", "All resources of the mesh: "),
			function.DynamicParameter{Name: "proxies", MarkdownDescription: describe("effective_rules.proxies")},
		},
		VariadicParameter: optionsParameter(kumaVersionOption + "; " + shadowOption),
		Return:            function.DynamicReturn{},
	}}
}

func runEffectiveRules(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents, asked types.Dynamic
	c := newCall(ctx, req, resp, nil, &documents, &asked)
	if c == nil {
		return
	}
	mesh, q, by, to := kuma.DefaultMesh, answer.RulesQuestion{Complete: true}, rules.DataplaneSelector{}, answer.Destination{}
	dataplanes := &object{fields: map[string]any{"service": &by.Service, "labels": &by.Labels, "tags": &by.Tags}}
	destination := &object{fields: map[string]any{
		"kind": &to.Kind, "name": &to.Name, "labels": &to.Labels, "section_name": &to.Section,
		"route": &to.Route,
	}}
	err := readObject(ctx, asked, "field", `{ dataplane = "web-1", types = ["MeshTimeout"] }`, map[string]any{
		"mesh": &mesh, "dataplane": &q.Dataplane, "dataplanes": dataplanes, "types": &q.Kinds, "include": &q.Include, "defaults": &q.Defaults,
		"destination": destination,
	})
	if dataplanes.given {
		q.Dataplanes = &by
	}
	if destination.given {
		q.Destination = &to
	}
	if err == nil && q.Dataplane == "" && q.Dataplanes == nil {
		err = errors.New("one of the fields dataplane and dataplanes is required")
	}
	if err != nil {
		resp.Error = argumentErrorAt(1, phrase.Sentence(err))
		return
	}
	if c.reject(1, q.Check()) {
		return
	}
	read := input.NewDocuments(func(kind string, doc map[string]any) bool { return matters(q, kind, doc) })
	if !c.read(ctx, mesh, []*input.Documents{read}, documents) {
		return
	}
	found, err := answer.OfEffectiveRules(c.mesh(mesh, read), q)
	switch {
	case c.reject(1, err):
	case errors.Is(err, rules.ErrUnknownDataplane), errors.Is(err, rules.ErrUnknownMesh) && q.Dataplane != "":
		key := kuma.Key{Type: kuma.KindDataplane, Mesh: mesh, Name: q.Dataplane}
		resp.Error = argumentErrorAt(1, fmt.Sprintf("%s not found in the documents.%s", key, read.SuggestDataplane(key)))
	case err != nil:
		c.fail(err, 1, mesh, read)
	default:
		c.setRules(ctx, found)
	}
}

// matters reports whether a document can change what is asked. Other proxies affect the rules of one
// only by their services.
func matters(q answer.RulesQuestion, kind string, doc map[string]any) bool {
	if name, ok := doc["name"].(string); ok && kind == kuma.KindDataplane && q.Dataplanes == nil && name != q.Dataplane {
		input.ReduceProxy(doc)
	}
	return slices.ContainsFunc(kinds.PolicyTypes(q.Kinds...), func(t string) bool { return rules.Influences(kind, t) }) ||
		q.Destination != nil && (rules.IsDestination(kind) || rules.IsRoute(kind)) || q.Defaults && request.InfluencesDefaults(kind)
}

// maxRules limits the size of a result, so that the types and values that the framework creates for
// it stay below about 256 MB.
const maxRules = 1 << 20

// setRules sets the result, unless it is too large.
func (c *analysisCall) setRules(ctx context.Context, found answer.EffectiveRules) {
	text, err := tree.EncodeJSON(tree.Of(found))
	switch {
	case err != nil:
		c.resp.Error = callError(err)
	case len(text) > maxRules:
		c.resp.Error = callError(
			fmt.Errorf(
				"the result takes %.1f MB as JSON, but the function returns at most %d MB, because Terraform needs about 250 times as "+
					"much memory for it. "+
					"Use the data source kuma_effective_rules, set types, or remove names from include", float64(len(text))/(1<<20), maxRules>>20))
	default:
		setAnswer(ctx, c.resp, found)
	}
}
