package functions

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// upgradeDocumentsFunction rewrites documents for Kuma 3.0.
func upgradeDocumentsFunction() function.Function {
	return providerFunction{"upgrade_documents", runUpgradeDocuments, function.Definition{
		Summary: "Rewrites documents of Kuma 2.14 for Kuma 3.0",
		MarkdownDescription: "Rewrites the documents of a mesh from the form of Kuma 2.14 to that of Kuma 3.0, in two stages, and proves what that changes. It uses only documents, and no control plane. " +
			"The result is an object:\n\n" +
			"- `stage_one`: the documents that Kuma 2.14 accepts and that change nothing there, as a list of strings in YAML: labels beside tags, references by labels, `rules` instead of `from`, and what Kuma 3.0 does not do by itself.\n" +
			"- `stage_two`: the documents that only Kuma 3.0 takes, in the same form: without tags, removed fields and removed kinds.\n" +
			"- `removed`: the documents that are not part of stage two, each as `KIND/NAME`.\n" +
			"- `report`: what happens to each document, as a list of objects with `type`, `mesh`, `name`, `path`, `action`, `stage`, `rewrite`, `condition`, `text` and `choices`. The `action` is `manual` (cannot be done mechanically; `choices` says what can be done), " +
			"`deferred` (changes something on 2.14, and is left for stage two), `kept` (not understood, and unchanged), `removed`, `rewritten`, `added` or `generated` (by the control plane). Those to decide come first.\n" +
			"- `report_text`: the same as text, beginning with the most dangerous decisions. Where nothing is to be decided, one line represents all equal changes of a kind, with the text of one document.\n" +
			"- `unchanged_on_2`: whether no proxy gets other settings, services or clients from stage one: the rewriting leaves out what would change one, and the comparison confirms it.\n" +
			"- `changed_on_3`: names of the proxies that stage two on Kuma 3.0 changes, compared with stage one on 2.14: those with other settings or services, whose requests go elsewhere or fail, or that gain or lose access to a service. A gate in CI should require that it is empty, or contains only proxies that have been reviewed.\n" +
			"- `proof`: both comparisons as text: \"No proxy changes.\", or each value before and after.\n\n" +
			"Nothing is lost: documents of unknown kinds, those that are not valid, and what cannot be rewritten are in both stages as they are, and in the report.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", MarkdownDescription: "All resources of the mesh: " + documentsDescription + " Include Dataplanes: without them, selectors by tags cannot be compared with labels. For what a control plane stores, use the `document` of each element of `kuma_resources`."},
		},
		VariadicParameter: optionsParameter("`zone` is the name of the zone whose control plane stores documents without labels of a control plane; `kuma_version` is its release, by default 2.14; " +
			"`initial_policies = true` adds the policies that a control plane creates with a mesh, if they are not among the documents"),
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"stage_one": types.ListType{ElemType: types.StringType}, "stage_two": types.ListType{ElemType: types.StringType}, "removed": types.ListType{ElemType: types.StringType},
			"report": types.ListType{ElemType: types.ObjectType{AttrTypes: upgradeItemTypes()}}, "report_text": types.StringType,
			"unchanged_on_2": types.BoolType, "changed_on_3": types.ListType{ElemType: types.StringType}, "proof": types.StringType,
		}},
	}}
}

// upgradeResult is what the function returns.
type upgradeResult struct {
	StageOne    []string      `tfsdk:"stage_one"`
	StageTwo    []string      `tfsdk:"stage_two"`
	Removed     []string      `tfsdk:"removed"`
	Report      []upgradeItem `tfsdk:"report"`
	ReportText  string        `tfsdk:"report_text"`
	UnchangedOn bool          `tfsdk:"unchanged_on_2"`
	ChangedOn   []string      `tfsdk:"changed_on_3"`
	Proof       string        `tfsdk:"proof"`
}

type upgradeItem struct {
	Type      string       `tfsdk:"type"`
	Mesh      types.String `tfsdk:"mesh"`
	Name      string       `tfsdk:"name"`
	Path      string       `tfsdk:"path"`
	Action    string       `tfsdk:"action"`
	Stage     types.Int64  `tfsdk:"stage"`
	Rewrite   types.String `tfsdk:"rewrite"`
	Condition types.String `tfsdk:"condition"`
	Text      string       `tfsdk:"text"`
	Choices   []string     `tfsdk:"choices"`
}

func upgradeItemTypes() map[string]attr.Type {
	out := map[string]attr.Type{"stage": types.Int64Type, "choices": types.ListType{ElemType: types.StringType}}
	for _, name := range []string{"type", "mesh", "name", "path", "action", "rewrite", "condition", "text"} {
		out[name] = types.StringType
	}
	return out
}

func runUpgradeDocuments(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents types.Dynamic
	var options []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &documents, &options); resp.Error != nil {
		return
	}
	var o upgrade.Options
	if err := readOptions(ctx, options, map[string]any{"zone": &o.ControlPlane.Zone, "kuma_version": &o.ControlPlane.Release, "initial_policies": &o.InitialPolicies}); err != nil {
		resp.Error = argumentErrorAt(1, phrase.Sentence(err))
		return
	}
	if o.ControlPlane.Release.Kuma3() {
		resp.Error = argumentErrorAt(1, "The option kuma_version must be a release of Kuma 2: that of the control plane which stores the documents.")
		return
	}
	read := input.NewDocuments(func(string, map[string]any) bool { return true })
	read.Reader.UnknownKinds, read.Reader.Check = document.Take, document.Envelope
	if err := readArgument(ctx, read, documents); err != nil {
		resp.Error = argumentError(err)
		return
	}
	if o.ControlPlane.Zone != "" {
		o.ControlPlane.Mode = kuma.ModeZone
	}
	if from := read.ControlPlane(); from.Mode != "" {
		from.Zone, from.Release = cmp.Or(from.Zone, o.ControlPlane.Zone), o.ControlPlane.Release
		o.ControlPlane = from
	}
	result, err := upgrade.Rewrite(read.Resources(), o)
	if err != nil {
		resp.Error = callError(err)
		return
	}
	shown, err := showUpgrade(result)
	if err != nil {
		resp.Error = callError(err)
		return
	}
	resp.Error = resp.Result.Set(ctx, &shown)
}

func showUpgrade(r upgrade.Result) (upgradeResult, error) {
	out := upgradeResult{
		Removed: []string{}, Report: []upgradeItem{}, ReportText: r.Report.String(),
		UnchangedOn: r.Proof.StageOne.None(), ChangedOn: append([]string{}, r.Proof.Dataplanes()...), Proof: r.Proof.String(),
	}
	var err error
	if out.StageOne, err = documentTexts(r.StageOne); err != nil {
		return out, err
	}
	if out.StageTwo, err = documentTexts(r.StageTwo); err != nil {
		return out, err
	}
	for _, i := range r.Report {
		if i.Action == upgrade.Removed && i.Path == "" {
			out.Removed = append(out.Removed, i.Key.Type+"/"+i.Key.Name)
		}
		item := upgradeItem{
			Type: i.Key.Type, Mesh: tfvalue.OptionalString(i.Key.Mesh), Name: i.Key.Name, Path: i.Path, Action: string(i.Action),
			Rewrite: tfvalue.OptionalString(i.Rewrite), Condition: tfvalue.OptionalString(i.Condition), Text: i.Text, Choices: append([]string{}, i.Choices...),
		}
		if i.Stage > 0 {
			item.Stage = types.Int64Value(int64(i.Stage))
		}
		out.Report = append(out.Report, item)
	}
	return out, nil
}

func documentTexts(resources []kuma.Resource) ([]string, error) {
	texts := make([]string, len(resources))
	for i, r := range resources {
		text, err := tree.EncodeYAML(r.Document())
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	return texts, nil
}
