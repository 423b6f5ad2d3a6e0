package analysis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// effectiveRulesDataSource computes what the policies of a mesh mean for dataplanes.
type effectiveRulesDataSource struct{ dataSource }

func (d *effectiveRulesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"dataplane": schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the Dataplane. Exactly one of `dataplane`, `proxy` and `dataplanes` is required."},
		"proxy":     schema.DynamicAttribute{Optional: true, MarkdownDescription: describe("effective_rules.proxy")},
		"include": schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Long attributes to compute: " + phrase.And(codes(longAttributes())...) + ", or with `dataplanes` only the `" + includeConf + "` of each of the `groups`. Defaults to none: " +
			"their size grows with the number of destinations times the number of policies for all destinations, and with 300 of each, one attribute takes Terraform about a minute. Limit `types` first."},
		"defaults": schema.BoolAttribute{Optional: true, MarkdownDescription: describe("effective_rules.defaults")},
		"rules": schema.ListNestedAttribute{
			Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: policyRulesAttributes()},
			MarkdownDescription: describe("effective_rules.rules"),
		},
		"conf":             schema.DynamicAttribute{Computed: true, MarkdownDescription: describe("effective_rules.conf")},
		"destination_conf": schema.DynamicAttribute{Computed: true, MarkdownDescription: describe("effective_rules.destination_conf")},
		"explain": schema.ListNestedAttribute{
			Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: explainAttributes()},
			MarkdownDescription: describe("effective_rules.explain"),
		},
		"ignored_rules": ignoredRulesAttribute(), "default_settings": defaultSettingsAttribute(),
		"explanation": schema.StringAttribute{Computed: true, MarkdownDescription: describe("effective_rules.explanation")},
		"diagram":     schema.StringAttribute{Computed: true, MarkdownDescription: describe("effective_rules.diagram")},
		"warnings":    schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: describe("effective_rules.warnings")},
		"digest":      schema.StringAttribute{Computed: true, MarkdownDescription: describe("effective_rules.digest")},
		"json":        schema.StringAttribute{Computed: true, MarkdownDescription: "The complete result as JSON, in the format of the inspect API. Null unless `include` contains it."},

		"group_count": tfschema.ComputedNumber("Number of groups of proxies with the same rules that `dataplanes` selects: 1 if all proxies have the same rules, 0 if no proxy is selected. Null without `dataplanes`."),
		"groups":      groupsAttribute(),
	}
	maps.Copy(attributes, analysisAttributes())
	attributes["types"] = typesAttribute()
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("effective_rules"),
		Attributes:          attributes,
		Blocks:              map[string]schema.Block{"dataplanes": DataplanesBlock("The result is in `groups`."), "destination": destinationBlock()},
	}
}

// longAttributes are computed only if include contains them.
func longAttributes() []string { return []string{"rules", "explain", "json"} }

// includeConf selects the settings of groups.
const includeConf = "conf"

func codes(words []string) []string {
	return each(words, func(w string) string { return "`" + w + "`" })
}

// ValidateConfig reports problems that do not depend on the mesh.
func (d *effectiveRulesDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m effectiveRulesModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) {
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
func (m *effectiveRulesModel) checkProxies(diags *diag.Diagnostics) {
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
	var m effectiveRulesModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) {
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
	in := m.input(ctx, d.cp, d.typeName, rules.Kinds(), req.Config.Raw, &resp.Diagnostics, proxy...)
	q := effectiveRulesQuery{analysisInput: in, dataplane: dataplane, types: wantedTypes(ctx, m.Types, &resp.Diagnostics), include: m.included(ctx, &resp.Diagnostics)}
	if resp.Diagnostics.HasError() {
		return
	}
	if m.Dataplanes != nil {
		m.answerGroups(ctx, q)
	} else {
		m.answer(ctx, q)
	}
	if !resp.Diagnostics.HasError() {
		m.write(ctx, &resp.State, &resp.Diagnostics)
	}
}

// effectiveRulesQuery is a query about one proxy, or about many.
type effectiveRulesQuery struct {
	analysisInput
	dataplane string   // empty for many
	types     []string // nil for all
	include   []string // of the long attributes
}

// answer computes the answer and fills in the computed part of the model.
func (m *effectiveRulesModel) answer(ctx context.Context, q effectiveRulesQuery) {
	snapshot := q.snapshot()
	answer, err := snapshot.Dataplane(q.Name, q.dataplane, q.types...)
	if err != nil {
		q.fail(err)
		return
	}
	shown := answer // in the explanation and the diagram
	var only *rules.Destination
	if m.Destination != nil {
		to, ok := m.Destination.find(ctx, snapshot, q.Name, q.dataplane, q.diags)
		if !ok {
			return
		}
		m.DestinationConf = types.DynamicValue(destinationConf(ctx, answer, to))
		shown, only = answer.For(to), &to
	}
	m.Explanation = types.StringValue(input.AfterCaveat(q.caveat, explain.Text(shown)))
	diagram, err := explain.Diagram(snapshot, shown)
	if err != nil {
		q.fail(err)
		return
	}
	m.Diagram = types.StringValue(diagram)
	if m.Warnings, err = explain.Warnings(snapshot, answer, q.Planned, q.types...); err != nil {
		q.fail(err)
		return
	}
	err = m.show(ctx, snapshot, answer, q.include)
	if err == nil && m.Defaults.ValueBool() {
		err = m.addDefaults(snapshot, answer, q.types, only)
	}
	if err != nil {
		q.diags.AddError("Cannot return the rules", phrase.Sentence(err))
	}
}

// fail reports why there is no result.
func (q effectiveRulesQuery) fail(err error) {
	switch {
	case errors.Is(err, rules.ErrUnknownMesh):
		q.reportMissingMesh()
	case errors.Is(err, rules.ErrUnknownDataplane):
		q.reportMissingDataplane(q.dataplane)
	default:
		q.diags.AddError("Cannot compute the rules", phrase.Sentence(err))
	}
}

// included returns the long attributes to compute.
func (m *effectiveRulesModel) included(ctx context.Context, diags *diag.Diagnostics) []string {
	var include []string
	diags.Append(m.Include.ElementsAs(ctx, &include, false)...)
	known := longAttributes()
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
