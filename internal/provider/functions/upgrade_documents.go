package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// upgradeDocumentsFunction rewrites documents for Kuma 3.0.
func upgradeDocumentsFunction() function.Function {
	return providerFunction{"upgrade_documents", runUpgradeDocuments, function.Definition{
		Summary:             "Rewrites documents of Kuma 2.14 for Kuma 3.0",
		MarkdownDescription: describe("upgrade_documents"),
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
	read := input.OfAllKinds()
	if err := readArgument(ctx, read, documents); err != nil {
		resp.Error = argumentError(err)
		return
	}
	if o.ControlPlane.Zone != "" {
		o.ControlPlane.Mode = kuma.ModeZone
	}
	o.ControlPlane = read.ControlPlane(o.ControlPlane)
	found, err := answer.OfUpgrade(read.Resources(), o, upgrade.Checks{})
	if err != nil {
		resp.Error = callError(err)
		return
	}
	setAnswer(ctx, resp, found)
}
