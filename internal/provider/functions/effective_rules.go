package functions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// effectiveRulesFunction runs the engine on documents and resources, without a control
// plane.
func effectiveRulesFunction() function.Function {
	return providerFunction{"effective_rules", runEffectiveRules, function.Definition{
		Summary:             "Computes the effective rules of one proxy",
		MarkdownDescription: describe("effective_rules"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", AllowUnknownValues: true, MarkdownDescription: "A string with YAML documents, or a list of such strings, documents as objects, and whole resources such as `kuma_mesh_timeout.web`. " +
				plannedMeshDescription + "A mesh without a document of its own has the default settings. " +
				"Resources without the label `kuma.io/origin` get the labels of the control plane that stored the others."},
			function.StringParameter{Name: "dataplane", MarkdownDescription: "Name of the Dataplane, prefixed with `MESH/` if it is not in the mesh `default`."},
			function.StringParameter{Name: "type", MarkdownDescription: "Kind of policy, such as `MeshHTTPRoute`."},
		},
		VariadicParameter: optionsParameter("`defaults = true` includes in `default_settings` and `explanation` the timeouts and retries that no policy sets, as the data source `kuma_effective_rules` does; " + kumaVersionOption + "; " + shadowOption),
		Return:            function.DynamicReturn{},
	}}
}

func runEffectiveRules(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents types.Dynamic
	var dataplane, policyType string
	var defaults bool
	c := newCall(ctx, req, resp, map[string]any{"defaults": &defaults}, &documents, &dataplane, &policyType)
	if c == nil {
		return
	}
	if problem := analysis.NotAPolicy(policyType); problem != "" {
		resp.Error = argumentErrorAt(2, problem)
		return
	}
	asked := kuma.Key{Type: kuma.KindDataplane, Mesh: kuma.DefaultMesh, Name: dataplane}
	if meshName, name, ok := strings.Cut(dataplane, "/"); ok {
		asked.Mesh, asked.Name = meshName, name
	}
	read := input.NewDocuments(func(kind string, doc map[string]any) bool {
		if name, ok := doc["name"].(string); ok && kind == kuma.KindDataplane && name != asked.Name {
			input.ReduceProxy(doc) // proxies affect the rules of each other only by their services
		}
		return rules.Influences(kind, policyType) || defaults && request.InfluencesDefaults(kind)
	})
	if !c.read(ctx, []*input.Documents{read}, documents) {
		return
	}
	found, err := answer.OfPolicies(c.mesh(asked.Mesh, read), asked.Name, policyType, defaults)
	switch {
	case errors.Is(err, rules.ErrUnknownMesh), errors.Is(err, rules.ErrUnknownDataplane):
		resp.Error = argumentErrorAt(1, fmt.Sprintf("%s not found in the documents.%s", asked, read.SuggestDataplane(asked)))
	case err != nil:
		resp.Error = callError(err)
	default:
		setAnswer(ctx, resp, found)
	}
}
