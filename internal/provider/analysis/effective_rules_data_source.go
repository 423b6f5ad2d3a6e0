package analysis

import (
	"context"
	"errors"
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
			"include":   schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Long attributes to compute: " + phrase.And(phrase.Code(answer.LongAttributes())...) + ", or with `dataplanes` only the " + phrase.And(phrase.Code(answer.LongGroupAttributes())...) + " of each of the `groups`. Defaults to none, because they grow with destinations times policies: limit `types` first."},
			"defaults":  schema.BoolAttribute{Optional: true, MarkdownDescription: describe("effective_rules.defaults")},
			"types":     typesAttribute(),
		}),
		Blocks: map[string]schema.Block{"dataplanes": DataplanesBlock("The result is in `groups`."), "destination": destinationBlock()},
	}
}

// ValidateConfig reports problems that do not depend on the mesh.
func (d *effectiveRulesDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m rulesArguments
	if !readArguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	checkPlanned(req.Config.Raw, &resp.Diagnostics)
	m.check(ctx, &resp.Diagnostics)
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

// check reports what is wrong with the arguments that are known.
func (m *rulesArguments) check(ctx context.Context, diags *diag.Diagnostics) {
	one := ""
	if !m.Dataplane.IsNull() || !isNull(m.Proxy) {
		one = "of dataplane or proxy"
	}
	switch {
	case m.Dataplanes == nil && one == "":
		diags.AddError("Missing dataplane or proxy", "Set dataplane to the name of a Dataplane, describe one in proxy, or select several with a dataplanes block.")
	case !m.Dataplane.IsNull() && !m.Dataplane.IsUnknown() && !isNull(m.Proxy) && !m.Proxy.IsUnknown():
		diags.AddAttributeError(path.Root("proxy"), "Conflicting arguments", "proxy conflicts with dataplane. Set only one of them.")
	}
	ReportArguments(diags, m.question(ctx, one, diags).Check())
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
	q := m.question(ctx, dataplane, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := answer.OfEffectiveRules(in.Mesh, q)
	switch {
	case ReportArguments(in.diags, err):
	case errors.Is(err, rules.ErrUnknownMesh):
		in.reportMissingMesh()
	case errors.Is(err, rules.ErrUnknownDataplane):
		in.reportMissingDataplane(dataplane)
	case err != nil:
		in.diags.AddError("Cannot compute the rules", phrase.Sentence(err))
	default:
		if text := found.IgnoredRoute; text != "" {
			in.diags.AddAttributeWarning(path.Root("destination").AtName("route"), "Route does not select the proxy", text+" The attribute warnings contains the reason.")
		}
		write(ctx, req.Config, &resp.State, found)
	}
}

// question returns the question about a Dataplane, or about several. What is not known yet counts as
// valid.
func (m *rulesArguments) question(ctx context.Context, dataplane string, diags *diag.Diagnostics) answer.RulesQuestion {
	q := answer.RulesQuestion{Dataplane: dataplane, Defaults: m.Defaults.ValueBool()}
	readKnown(ctx, m.Types, &q.Kinds, diags)
	readKnown(ctx, m.Include, &q.Include, diags)
	if m.Dataplanes != nil {
		by := m.Dataplanes.Selector(ctx, diags)
		q.Dataplanes = &by
	}
	if d := m.Destination; d != nil {
		q.Destination = &answer.Destination{Kind: d.Kind.ValueString(), Name: d.Name.ValueString(), Section: d.SectionName.ValueString(), Route: d.Route.ValueString()}
		if known := readKnown(ctx, d.Labels, &q.Destination.Labels, diags); !known || d.Name.IsUnknown() {
			q.Destination.Name = "(known after apply)"
		}
	}
	return q
}
