package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// effectiveRulesDataSource computes what the policies of a mesh mean for dataplanes.
type effectiveRulesDataSource struct{ dataSource }

type rulesArguments struct {
	analysisArguments
	Dataplane   types.String      `tfsdk:"dataplane"`
	Proxy       types.Dynamic     `tfsdk:"proxy"`
	Dataplanes  *DataplanesModel  `tfsdk:"dataplanes"`
	Types       types.Set         `tfsdk:"types"`
	Include     types.Set         `tfsdk:"include"`
	Defaults    types.Bool        `tfsdk:"defaults"`
	Destination *destinationModel `tfsdk:"destination"`
}

func (d *effectiveRulesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("effective_rules"),
		Attributes: attributesOf[answer.EffectiveRules](map[string]schema.Attribute{
			"dataplane": schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the Dataplane. Exactly one of `dataplane`, `proxy` and `dataplanes` is required."},
			"proxy":     schema.DynamicAttribute{Optional: true, MarkdownDescription: describe("effective_rules.proxy")},
			"include": schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Long attributes to compute: " + phrase.And(phrase.Code(answer.LongAttributes())...) + ", or with `dataplanes` only the `" + includeConf + "` of each of the `groups`. Defaults to none: " +
				"their size grows with the number of destinations times the number of policies for all destinations, and with 300 of each, one attribute takes Terraform about a minute. Limit `types` first."},
			"defaults": schema.BoolAttribute{Optional: true, MarkdownDescription: describe("effective_rules.defaults")},
			"types":    typesAttribute(),
		}),
		Blocks: map[string]schema.Block{"dataplanes": DataplanesBlock("The result is in `groups`."), "destination": destinationBlock()},
	}
}

// includeConf selects the settings of groups.
const includeConf = "conf"

// ValidateConfig reports problems that do not depend on the mesh.
func (d *effectiveRulesDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m rulesArguments
	if !readArguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	checkPlanned(req.Config.Raw, &resp.Diagnostics)
	m.checkProxies(&resp.Diagnostics)
	if m.Destination != nil {
		m.Destination.check(&resp.Diagnostics)
	}
	root, err := tfvalue.Attributes(req.Config.Raw)
	if err != nil || isNull(m.Proxy) || m.Mesh.IsUnknown() {
		return
	}
	doc, err := proxyDocument(root["proxy"], m.meshName())
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(path.Root("proxy"), "Invalid dataplane", phrase.Sentence(err))
	case doc != nil:
		report.Reading(&resp.Diagnostics, path.Root("proxy"), proxyReader().Value(doc))
	}
}

// checkProxies reports missing and conflicting arguments that select proxies.
func (m *rulesArguments) checkProxies(diags *diag.Diagnostics) {
	one := !m.Dataplane.IsNull() || !isNull(m.Proxy)
	switch {
	case m.Dataplanes != nil && one:
		diags.AddAttributeError(path.Root("dataplanes"), "Conflicting arguments", "dataplanes conflicts with dataplane and proxy. Set only one of the three: dataplane or proxy for a single proxy, dataplanes for several.")
	case m.Dataplanes != nil && m.Destination != nil:
		diags.AddAttributeError(path.Root("destination"), "Conflicting arguments", "destination conflicts with dataplanes, because it requires a single proxy. Remove destination, or set dataplane instead of dataplanes.")
	case m.Dataplanes != nil && m.Defaults.ValueBool():
		diags.AddAttributeError(path.Root("defaults"), "Conflicting arguments", "defaults conflicts with dataplanes, because it requires a single proxy. Remove defaults, or set dataplane instead of dataplanes.")
	case m.Dataplanes == nil && !one:
		diags.AddError("Missing dataplane or proxy", "Set dataplane to the name of a Dataplane, describe one in proxy, or select several with a dataplanes block.")
	case !m.Dataplane.IsNull() && !m.Dataplane.IsUnknown() && !isNull(m.Proxy) && !m.Proxy.IsUnknown():
		diags.AddAttributeError(path.Root("proxy"), "Conflicting arguments", "proxy conflicts with dataplane. Set only one of them.")
	}
}

func (d *effectiveRulesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m rulesArguments
	if !readArguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	dataplane := m.Dataplane.ValueString()
	proxy := inlineProxy(req.Config.Raw, m.Proxy, m.meshName(), &resp.Diagnostics)
	if len(proxy) > 0 {
		dataplane = proxy[0].Resource.Name
	}
	if resp.Diagnostics.HasError() {
		return
	}
	evaluated := slices.DeleteFunc(rules.Kinds(), func(k def.Kind) bool { _, older := kinds.FindOlder(k.Name); return older })
	in := m.input(ctx, d.cp, d.typeName, evaluated, req.Config.Raw, &resp.Diagnostics, proxy...)
	wanted, include := wantedTypes(ctx, m.Types, &resp.Diagnostics), m.included(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	snapshot, caveat := in.Snapshot()
	var found answer.EffectiveRules
	var err error
	if m.Dataplanes != nil {
		var names []string
		by := m.Dataplanes.Selector(ctx, snapshot, in.Name, in.diags)
		if names, err = snapshot.SelectDataplanes(in.Name, by); err == nil {
			found, err = answer.OfGroups(in.Mesh, snapshot, caveat, names, wanted, slices.Contains(include, includeConf))
		}
	} else {
		options := answer.RulesOptions{Kinds: wanted, Include: include, Defaults: m.Defaults.ValueBool()}
		if m.Destination != nil {
			if _, err = snapshot.Dataplane(in.Name, dataplane, wanted...); err == nil {
				options.Destination = m.Destination.find(ctx, snapshot, in.Name, dataplane, in.diags)
			}
		}
		if err == nil && !in.diags.HasError() {
			found, err = answer.OfRules(in.Mesh, snapshot, caveat, dataplane, options)
		}
	}
	switch {
	case in.diags.HasError():
	case errors.Is(err, rules.ErrUnknownMesh):
		in.reportMissingMesh()
	case errors.Is(err, rules.ErrUnknownDataplane):
		in.reportMissingDataplane(dataplane)
	case err != nil:
		in.diags.AddError("Cannot compute the rules", phrase.Sentence(err))
	default:
		write(ctx, req.Config, &resp.State, found)
	}
}

// included returns the long attributes to compute.
func (m *rulesArguments) included(ctx context.Context, diags *diag.Diagnostics) []string {
	var include []string
	diags.Append(m.Include.ElementsAs(ctx, &include, false)...)
	known := answer.LongAttributes()
	if m.Dataplanes != nil {
		known = []string{includeConf}
	}
	for _, name := range include {
		if !slices.Contains(known, name) {
			diags.AddAttributeError(path.Root("include"), "Invalid value for include",
				fmt.Sprintf("%q is not valid. Valid values: %s.%s", name, phrase.Or(known...), phrase.Suggest(name, known)))
		}
	}
	return include
}
