package functions

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// upgradeDocumentsFunction rewrites documents for Kuma 3.0.
func upgradeDocumentsFunction() function.Function {
	return providerFunction{"upgrade_documents", runUpgradeDocuments, function.Definition{
		Summary: "Rewrites documents of Kuma 2.14 for Kuma 3.0",
		MarkdownDescription: "Rewrites the documents of a mesh from the form of Kuma 2.14 to that of Kuma 3.0, in two stages, and proves what " +
			"that changes. It uses only documents, and no control plane. " +
			"The result is an object:\n\n" +
			"- `stage_one`: the documents that Kuma 2.14 accepts and that change nothing there, as a list of strings in YAML: " +
			"labels beside tags, references by labels, `rules` instead of `from`, and what Kuma 3.0 does not do by itself.\n" +
			"- `stage_two`: the documents that only Kuma 3.0 takes, in the same form: without tags, removed fields and removed kinds.\n" +
			"- `removed`: the documents that are not part of stage two, each as `KIND/NAME`.\n" +
			"- `report`: what happens to each document, as a list of objects with `type`, `mesh`, `name`, `path`, `action`, `stage`, `rewrite`, " +
			"`condition`, `text`, `choices`, `also` and `documents`. " +
			"Dataplanes that differ only in name and address, such as replicas of a service, have one item: " +
			"`documents` is their number, and `also` names up to 20 others. " +
			"The `action` is `manual` (cannot be done mechanically; `choices` says what can be done), " +
			"`deferred` (changes something on 2.14, and is left for stage two), `kept` (not understood, and unchanged), " +
			"`elsewhere` (a copy, which its own control plane rewrites), `removed`, `rewritten`, `added` " +
			"or `generated` (by the control plane). Those to decide come first. The list has at most 1,500 items.\n" +
			"- `report_omitted`: how many items `report` leaves out. `report_text` counts all of them.\n" +
			"- `report_text`: the same as text, beginning with the most dangerous decisions. " +
			"Where nothing is to be decided, one line represents all equal changes of a kind, with the text of one document.\n" +
			"- `unchanged_on_2`: whether no proxy gets other settings, services or clients from stage one. " +
			"It is false if Dataplanes with `reachableServices` get listeners by reference. Telemetry is not compared; `proof` names it.\n" +
			"- `changed_on_3`: names of the proxies that stage two on Kuma 3.0 changes, compared with stage one on 2.14: " +
			"those with other settings, services or telemetry, whose requests go elsewhere or fail, or that gain or lose access to a service. " +
			"In CI, require that it is empty, or contains only reviewed proxies.\n" +
			"- `proof`: both comparisons as text: \"No proxy changes.\", or each value before and after.\n" +
			"- `ready`: whether nothing is left to do before the upgrade.\n" +
			"- `overview`: the first page of the report: whether the mesh is ready, and what is left in the order in which it is done.\n\n" +
			"Nothing is lost: documents of unknown kinds, those that are not valid, and what cannot be rewritten are in both stages as they " +
			"are, and in the report.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "documents", MarkdownDescription: "All resources of the mesh: " + documentsDescription +
				" Include Dataplanes: without them, selectors by tags cannot be compared with labels."},
		},
		VariadicParameter: optionsParameter(
			"`zone` is the name of the zone whose control plane stores documents without labels of a control plane; `kuma_version` is its " +
				"release, by default 2.14; " +
				"`initial_policies = true` adds the policies that a control plane creates with a mesh, if they are not among the documents"),
		Return: returnOf[answer.Upgrade](),
	}}
}

func runUpgradeDocuments(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var documents types.Dynamic
	var options []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &documents, &options); resp.Error != nil {
		return
	}
	var o upgrade.Options
	if err := readOptions(ctx, options, map[string]any{
		"zone": &o.ControlPlane.Zone, "kuma_version": &o.ControlPlane.Release,
		"initial_policies": &o.InitialPolicies,
	}); err != nil {
		resp.Error = argumentErrorAt(1, phrase.Sentence(err))
		return
	}
	if o.ControlPlane.Release.Kuma3() {
		resp.Error = argumentErrorAt(1,
			"The option kuma_version must be a release of Kuma 2: that of the control plane which stores the documents.")
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
	found, err := answer.OfUpgrade(read.Resources(), o, upgrade.Checks{})
	if err != nil {
		resp.Error = callError(err)
		return
	}
	setAnswer(ctx, resp, found)
}
