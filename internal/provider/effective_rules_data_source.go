package provider

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
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// effectiveRulesDataSource tells what the policies of a mesh mean for one dataplane.
type effectiveRulesDataSource struct{ cp *connection }

var (
	_ datasource.DataSource                   = (*effectiveRulesDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*effectiveRulesDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*effectiveRulesDataSource)(nil)
)

func (d *effectiveRulesDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "kuma_effective_rules"
}

func (d *effectiveRulesDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.cp, _ = req.ProviderData.(*connection)
}

func (d *effectiveRulesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"dataplane": schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the Dataplane. One of `dataplane`, `proxy` and `dataplanes` is needed."},
		"proxy": schema.DynamicAttribute{Optional: true, MarkdownDescription: "A Dataplane to ask about before it exists: a whole `kuma_dataplane`, or its document as an object in the spelling of Kuma, " +
			"such as `{ name = \"web-1\", networking = { address = \"10.0.0.1\", inbound = [{ port = 80 }] } }`. A member that a Dataplane does not have is an error."},
		"include": schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Which of the long attributes to fill in: " + phrase.And(codes(longAttributes())...) + "; with `dataplanes` only the `" + includeConf + "` of each of the `groups`. None of them when unset: " +
			"their size grows with the number of destinations times the number of policies that are about all of them, and at 300 times 300 one of them takes Terraform about a minute. Narrow down `types` first."},
		"rules": schema.ListNestedAttribute{
			Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: policyRulesAttributes()},
			MarkdownDescription: "The rules per kind of policy, in the order in which the control plane processes the kinds. Null unless `include` has it.",
		},
		"conf": schema.DynamicAttribute{Computed: true, MarkdownDescription: "The settings per destination: `conf[KIND][KRI]` is the merged conf of the resource rule for the destination with that KRI, whose last part is the section. " +
			"The conf of the proxy itself stands under the KRI of the Dataplane. A route with hostnames has a list of confs. Null with `dataplanes`."},
		"destination_conf": schema.DynamicAttribute{Computed: true, MarkdownDescription: "What applies to traffic to the destination, per kind of policy that says something about it: `destination_conf[KIND].conf` is the conf, " +
			"`kri` the identifier of the resource or section whose rule it is from (null for a rule by tag), `origin` the identifiers of the policies, weakest first, `step` where the rule was found " +
			"(`route section`, `route`, `section`, `resource`, `mesh` or `tags`), and `passed` the steps before that had none. Null without `destination`."},
		"explain": schema.ListNestedAttribute{
			Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: explainAttributes()},
			MarkdownDescription: "Where each value comes from: one element for every value in the confs of the resource rules, and of the proxy itself. Null unless `include` has it.",
		},
		"explanation": schema.StringAttribute{Computed: true, MarkdownDescription: "What the proxy gets and which policies say so, in words: one line for each value. With `dataplanes`, group by group. At most a few hundred lines."},
		"diagram":     schema.StringAttribute{Computed: true, MarkdownDescription: "The same as a Mermaid flowchart, which GitHub and GitLab draw in a code block of the language `mermaid`. Policies are numbered from the weakest to the strongest. At most 60 arrows. Null with `dataplanes`."},
		"warnings": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "What the control plane warns about, planned policies that do not select this proxy, entries about destinations that do not exist, " +
			"and settings for routes that do not apply to this proxy; each with the reason. With `dataplanes`, about the first proxy of each of the `groups`."},
		"digest": schema.StringAttribute{Computed: true, MarkdownDescription: "Hash of what the rules do: it changes when a conf or a condition changes, and not when the same comes from other policies. " +
			"Proxies with the same rules have the same digest: name, labels and addresses of the proxy do not count, and an inbound counts under its section name. With `dataplanes` it is that of the only group; " +
			"if there are several, it changes when a group is new or gone, and not when proxies are."},
		"json": schema.StringAttribute{Computed: true, MarkdownDescription: "The whole answer as JSON, in the shape of the inspect API. Null unless `include` has it."},

		"group_count": computedNumber("Number of the groups of proxies with the same rules that `dataplanes` chooses: 1 when all are alike, and 0 when there are none. Null without `dataplanes`."),
		"groups":      groupsAttribute(),
	}
	maps.Copy(attributes, analysisAttributes())
	attributes["types"] = typesAttribute()
	resp.Schema = schema.Schema{
		MarkdownDescription: "Tells which settings the policies of a mesh give to one proxy, or to many at once: which rules apply, what they merge to, and which policies that comes from. " +
			"The answer is the one that the control plane's inspect API gives, computed by the provider, so that it can be had for resources that are only planned.",
		Attributes: attributes,
		Blocks:     map[string]schema.Block{"dataplanes": dataplanesBlock(), "destination": destinationBlock()},
	}
}

// longAttributes are left out unless they are asked for.
func longAttributes() []string { return []string{"rules", "explain", "json"} }

// includeConf asks for the settings of groups.
const includeConf = "conf"

func codes(words []string) []string {
	return each(words, func(w string) string { return "`" + w + "`" })
}

// ValidateConfig reports what can be seen without a mesh.
func (d *effectiveRulesDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m effectiveRulesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.checkProxies(&resp.Diagnostics)
	if m.Destination != nil {
		m.Destination.check(&resp.Diagnostics)
	}
	root, err := tfvalue.Attributes(req.Config.Raw)
	if err != nil || m.Proxy.IsNull() || m.Mesh.IsUnknown() {
		return
	}
	doc, err := proxyDocument(root["proxy"], m.meshName())
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(path.Root("proxy"), "Not a dataplane", phrase.Sentence(err))
	case doc != nil:
		reportReading(&resp.Diagnostics, path.Root("proxy"), proxyReader().Value(doc))
	}
}

// checkProxies reports when it is not clear which proxies are asked about.
func (m *effectiveRulesModel) checkProxies(diags *diag.Diagnostics) {
	one := !m.Dataplane.IsNull() || !m.Proxy.IsNull()
	switch {
	case m.Dataplanes != nil && one:
		diags.AddAttributeError(path.Root("dataplanes"), "One proxy and several are asked about", "The answer is about one proxy, or about those that dataplanes chooses. Set only one of dataplane, proxy and dataplanes.")
	case m.Dataplanes != nil && m.Destination != nil:
		diags.AddAttributeError(path.Root("destination"), "The destination needs one proxy", "What applies to a destination is told for one proxy. Remove destination, or name the proxy by dataplane in place of dataplanes.")
	case m.Dataplanes == nil && !one:
		diags.AddError("No proxy is asked about", "Set dataplane to the name of a Dataplane, describe one in proxy, or choose several in dataplanes.")
	case !m.Dataplane.IsNull() && !m.Proxy.IsNull():
		diags.AddAttributeError(path.Root("proxy"), "Two proxies are asked about", "The answer is about one proxy. Set either dataplane or proxy.")
	}
}

func (d *effectiveRulesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m effectiveRulesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	in := m.input(ctx, d.cp, "kuma_effective_rules", rules.Kinds(), req.Config.Raw, &resp.Diagnostics)
	dataplane := m.Dataplane.ValueString()
	if root, err := tfvalue.Attributes(req.Config.Raw); err == nil && !m.Proxy.IsNull() {
		dataplane = in.addProxy(root["proxy"])
	}
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

// effectiveRulesQuery is what is asked about one proxy, or about many.
type effectiveRulesQuery struct {
	analysisInput
	dataplane string   // empty for many
	types     []string // nil for all
	include   []string // of the long attributes
}

// answer computes the answer and fills in the computed part of the model.
func (m *effectiveRulesModel) answer(ctx context.Context, q effectiveRulesQuery) {
	snapshot := rules.NewSnapshot(q.resources)
	answer, err := snapshot.Dataplane(q.mesh, q.dataplane, q.types...)
	if err != nil {
		q.fail(err)
		return
	}
	shown := answer // in words and as a diagram
	if m.Destination != nil {
		to, ok := m.Destination.find(ctx, snapshot, q.mesh, q.dataplane, q.diags)
		if !ok {
			return
		}
		m.DestinationConf = types.DynamicValue(destinationConf(ctx, answer, to))
		shown = answer.For(to)
	}
	m.Explanation = types.StringValue(explain.Text(shown))
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
	if err := m.show(ctx, snapshot, answer, q.include); err != nil {
		q.diags.AddError("The rules cannot be shown", phrase.Sentence(err))
	}
}

// fail says why there is no answer.
func (q effectiveRulesQuery) fail(err error) {
	switch {
	case errors.Is(err, rules.ErrUnknownMesh):
		q.reportMissingMesh()
	case errors.Is(err, rules.ErrUnknownDataplane):
		q.diags.AddAttributeError(path.Root("dataplane"), "There is no such dataplane",
			fmt.Sprintf("Dataplane %q of mesh %q is neither stored nor planned, or the plan destroys it.%s", q.dataplane, q.mesh, q.knownDataplanes()))
	default:
		q.diags.AddError("The rules cannot be computed", phrase.Sentence(err))
	}
}

// included returns which of the long attributes to fill in.
func (m *effectiveRulesModel) included(ctx context.Context, diags *diag.Diagnostics) []string {
	var include []string
	diags.Append(m.Include.ElementsAs(ctx, &include, false)...)
	known := longAttributes()
	if m.Dataplanes != nil {
		known = []string{includeConf}
	}
	for _, name := range include {
		if !slices.Contains(known, name) {
			diags.AddAttributeError(path.Root("include"), "Nothing of that name can be included",
				fmt.Sprintf("%q cannot be included. Write %s.%s", name, phrase.Or(known...), phrase.Suggest(name, known)))
		}
	}
	return include
}
