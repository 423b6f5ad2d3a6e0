package functions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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
	var options []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &documents, &dataplane, &policyType, &options); resp.Error != nil {
		return
	}
	var release kuma.Release
	var withShadow, defaults bool
	if err := readOptions(ctx, options, map[string]any{"defaults": &defaults, "kuma_version": &release, "with_shadow": &withShadow}); err != nil {
		resp.Error = argumentErrorAt(3, phrase.Sentence(err))
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
		if name, ok := doc["name"].(string); ok && kind == kuma.KindDataplane && name != asked.Name && !tree.FullyKnown(doc) {
			return false // proxies do not affect the rules of each other
		}
		return rules.Influences(kind, policyType) || defaults && request.InfluencesDefaults(kind)
	})
	if err := readArgument(ctx, read, documents); err != nil {
		resp.Error = argumentError(err)
		return
	}
	if read.Unknown {
		resp.Error = resp.Result.Set(ctx, types.DynamicUnknown())
		return
	}
	mesh := read.Mesh(asked.Mesh, release)
	mesh.WithShadow = withShadow
	snapshot, caveat := mesh.Snapshot()
	answer, err := snapshot.Dataplane(asked.Mesh, asked.Name, policyType)
	if errors.Is(err, rules.ErrUnknownMesh) || errors.Is(err, rules.ErrUnknownDataplane) {
		resp.Error = argumentErrorAt(1, fmt.Sprintf("%s not found in the documents.%s", asked, read.SuggestDataplane(asked)))
		return
	}
	if err != nil {
		resp.Error = callError(err)
		return
	}
	result, err := answerObject(snapshot, answer, caveat)
	if err == nil && defaults {
		err = addDefaults(result, snapshot, answer, policyType)
	}
	if err != nil {
		resp.Error = callError(err)
		return
	}
	resp.Error = resp.Result.Set(ctx, types.DynamicValue(tfvalue.FromTree(ctx, result)))
}

// maxFunctionText limits the size of the result, so that the types and values that the
// framework creates for it stay below about 256 MB.
const maxFunctionText = 1 << 20

// answerObject converts an answer about one kind of policy, which may have no rules,
// to an object.
func answerObject(s *rules.Snapshot, a rules.Answer, caveat string) (map[string]any, error) {
	sum, err := digest.Of(s, a)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"conf": map[string]any{}, "digest": sum, "explanation": input.AfterCaveat(caveat, explain.Text(a)), "rules": nil, "default_settings": nil}
	e := analysis.Encoder{}
	if out["ignored_rules"], err = tree.DecodeJSON([]byte(e.JSON(analysis.IgnoredRules(s, a)))); err != nil {
		return nil, err
	}
	for _, p := range a.Rules {
		text := e.JSON(p)
		if len(text) > maxFunctionText {
			return nil, fmt.Errorf("the rules for %s take %.1f MB as JSON, but the function returns at most %d MB, because Terraform needs about 250 times as much memory for it. Use the data source kuma_effective_rules, or fewer tags and policies", p.Type, float64(len(text))/(1<<20), maxFunctionText>>20)
		}
		shown, err := tree.DecodeJSON([]byte(text))
		if err = errors.Join(e.Err, err); err != nil {
			return nil, err
		}
		out["conf"], out["rules"] = analysis.ConfByKRI(analysis.KRI(a.Resource), p), shown
	}
	return out, nil
}

// addDefaults adds what no policy of a kind sets.
func addDefaults(result map[string]any, s *rules.Snapshot, a rules.Answer, policyType string) error {
	all, err := analysis.Defaults(s, a, []string{policyType}, nil)
	if err != nil {
		return err
	}
	e := analysis.Encoder{}
	result["explanation"] = analysis.WithDefaults(tree.Text(result["explanation"]), all)
	result["default_settings"], err = tree.DecodeJSON([]byte(e.JSON(e.DefaultSettings(all))))
	return errors.Join(e.Err, err)
}
