package analysis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// effectiveRulesDataSource computes what the policies of a mesh mean for dataplanes.
type effectiveRulesDataSource struct{ dataSource }

func (d *effectiveRulesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"dataplane": schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the Dataplane. Exactly one of `dataplane`, `proxy` and `dataplanes` is required."},
		"proxy": schema.DynamicAttribute{Optional: true, MarkdownDescription: "A Dataplane that does not exist yet: a whole `kuma_dataplane`, or its document as an object with Kuma's field names, " +
			"such as `{ name = \"web-1\", networking = { address = \"10.0.0.1\", inbound = [{ port = 80 }] } }`. Unknown fields are errors."},
		"include": schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Long attributes to compute: " + phrase.And(codes(longAttributes())...) + ", or with `dataplanes` only the `" + includeConf + "` of each of the `groups`. Defaults to none: " +
			"their size grows with the number of destinations times the number of policies for all destinations, and with 300 of each, one attribute takes Terraform about a minute. Limit `types` first."},
		"defaults": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to include in `default_settings` and `explanation` what the proxy does where no policy sets a value. The other attributes do not change. Conflicts with `dataplanes`. Defaults to `false`."},
		"rules": schema.ListNestedAttribute{
			Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: policyRulesAttributes()},
			MarkdownDescription: "The rules per kind of policy, in the order in which the control plane processes the kinds. Null unless `include` contains it.",
		},
		"conf": schema.DynamicAttribute{Computed: true, MarkdownDescription: "The settings per destination: `conf[KIND][KRI]` is the merged conf of the resource rule for the destination with that KRI, whose last part is the section. " +
			"The conf of the proxy itself is under the KRI of the Dataplane. A route with hostnames has a list of confs. Null with `dataplanes`."},
		"destination_conf": schema.DynamicAttribute{Computed: true, MarkdownDescription: "What applies to traffic to the destination, per kind of policy that has settings for it: `destination_conf[KIND].conf` is the conf, " +
			"`kri` the identifier of the resource or section of the rule (null for a rule by tag), `origin` the identifiers of the policies, lowest precedence first, `step` where the rule was found " +
			"(`route section`, `route`, `section`, `resource`, `mesh` or `tags`), and `passed` the earlier steps without a rule. Null without `destination`."},
		"explain": schema.ListNestedAttribute{
			Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: explainAttributes()},
			MarkdownDescription: "The origin of each value: one element for every value in the confs of the resource rules and of the proxy itself. Null unless `include` contains it.",
		},
		"ignored_rules": ignoredRulesAttribute(), "default_settings": defaultSettingsAttribute(),
		"explanation": schema.StringAttribute{Computed: true, MarkdownDescription: "The settings of the proxy and the policies that they come from as text, one line for each value. With `dataplanes`, group by group. At most a few hundred lines."},
		"diagram":     schema.StringAttribute{Computed: true, MarkdownDescription: "The same as a Mermaid flowchart, which GitHub and GitLab render in a code block of the language `mermaid`. Policies are numbered from the lowest to the highest precedence. At most 60 arrows. Null with `dataplanes`."},
		"warnings": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Warnings of the control plane, planned policies that do not select this proxy, entries for destinations that do not exist, " +
			"settings for routes that do not apply to this proxy or for HTTP requests on an inbound with another protocol, and `from` that the proxy ignores, each with the reason. With `dataplanes`, for the first proxy of each of the `groups`."},
		"digest": schema.StringAttribute{Computed: true, MarkdownDescription: "Hash of the effective rules, which proxies with equal rules have in common: it changes when a conf or a condition changes, whichever policies set it. " +
			"See [Detect drift](../guides/detect-drift.md#compare-with-the-agreed-rules)."},
		"json": schema.StringAttribute{Computed: true, MarkdownDescription: "The complete result as JSON, in the format of the inspect API. Null unless `include` contains it."},

		"group_count": tfschema.ComputedNumber("Number of groups of proxies with the same rules that `dataplanes` selects: 1 if all proxies have the same rules, 0 if no proxy is selected. Null without `dataplanes`."),
		"groups":      groupsAttribute(),
	}
	maps.Copy(attributes, analysisAttributes())
	attributes["types"] = typesAttribute()
	resp.Schema = schema.Schema{
		MarkdownDescription: "Computes the settings that the policies of a mesh give to one proxy, or to many at once: which rules apply, what they merge to, and which policies they come from. " +
			"The result is the same as that of the inspect API of the control plane, whose release decides how policies are matched, but includes the types of policies that the inspect API omits before Kuma 2.14. Because the provider computes it, it is also available for resources that are only planned.",
		Attributes: attributes,
		Blocks:     map[string]schema.Block{"dataplanes": DataplanesBlock("The result is in `groups`."), "destination": destinationBlock()},
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
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
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
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
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
	answer, err := snapshot.Dataplane(q.mesh, q.dataplane, q.types...)
	if err != nil {
		q.fail(err)
		return
	}
	shown := answer // in the explanation and the diagram
	var only *rules.Destination
	if m.Destination != nil {
		to, ok := m.Destination.find(ctx, snapshot, q.mesh, q.dataplane, q.diags)
		if !ok {
			return
		}
		m.DestinationConf = types.DynamicValue(destinationConf(ctx, answer, to))
		shown, only = answer.For(to), &to
	}
	m.Explanation = AfterCaveat(q.caveat, explain.Text(shown))
	diagram, err := explain.Diagram(snapshot, shown)
	if err != nil {
		q.fail(err)
		return
	}
	m.Diagram = types.StringValue(diagram)
	if m.Warnings, err = explain.Warnings(snapshot, answer, q.planned, q.types...); err != nil {
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
