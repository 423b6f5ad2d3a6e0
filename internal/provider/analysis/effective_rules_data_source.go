package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
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

// ValidateConfig reports problems that do not depend on the mesh.
func (d *effectiveRulesDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse,
) {
	var m rulesArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) {
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
		diags.AddError("Missing dataplane or proxy",
			"Set dataplane to the name of a Dataplane, describe one in proxy, or select several with a dataplanes block.")
	case !m.Dataplane.IsNull() && !m.Dataplane.IsUnknown() && !isNull(m.Proxy) && !m.Proxy.IsUnknown():
		diags.AddAttributeError(path.Root("proxy"), "Conflicting arguments", "proxy conflicts with dataplane. Set only one of them.")
	}
	ReportArguments(diags, m.question(ctx, one, diags).Check())
}

func (d *effectiveRulesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m rulesArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) {
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
	in := m.input(ctx, d.CP, d.TypeName, evaluated, req.Config.Raw, &resp.Diagnostics, proxy...)
	q := m.question(ctx, dataplane, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := answer.OfEffectiveRules(in.Mesh, q)
	switch {
	case ReportArguments(in.diags, err):
	case errors.Is(err, rules.ErrUnknownDataplane):
		in.reportMissingDataplane(dataplane)
	case in.failed(err, "Cannot compute the rules"):
	default:
		if text := found.IgnoredRoute; text != "" {
			in.diags.AddAttributeWarning(path.Root("destination").AtName("route"), "Route does not select the proxy", text+
				" The attribute warnings contains the reason.")
		}
		report.Write(ctx, req.Config, &resp.State, found)
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
		q.Destination = &answer.Destination{
			Kind: d.Kind.ValueString(), Name: d.Name.ValueString(), Section: d.SectionName.ValueString(),
			Route: d.Route.ValueString(),
		}
		if known := readKnown(ctx, d.Labels, &q.Destination.Labels, diags); !known || d.Name.IsUnknown() {
			q.Destination.Name = "(known after apply)"
		}
	}
	return q
}

// destinationModel identifies the destination of outgoing traffic.
type destinationModel struct {
	Kind        types.String `tfsdk:"kind"`
	Name        types.String `tfsdk:"name"`
	Labels      types.Map    `tfsdk:"labels"`
	SectionName types.String `tfsdk:"section_name"`
	Route       types.String `tfsdk:"route"`
}

// The attribute proxy is dynamic: it accepts a whole kuma_dataplane, or a document
// as kuma_manifest does, and is checked in the same way, so that a misspelled field
// is an error. Blocks would need a second derivation of the schema, and could not
// accept a resource that a module already has.

// proxyDocument returns the document of an inline Dataplane, nil
// while it is not known. Type and mesh may be omitted.
func proxyDocument(v tftypes.Value, meshName string) (map[string]any, error) {
	doc, err := tfvalue.Document(v)
	if err != nil || doc == nil {
		return nil, err
	}
	if _, kubernetes := doc["apiVersion"]; !kubernetes {
		for name, value := range map[string]string{"type": kuma.KindDataplane, "mesh": meshName} {
			if _, given := doc[name]; !given {
				doc[name] = value
			}
		}
	}
	return doc, nil
}

// isNull reports whether a value of any type is null, as that of a conditional may be.
func isNull(v types.Dynamic) bool { return v.IsNull() || v.IsUnderlyingValueNull() }

func proxyReader() *document.Reader { return &document.Reader{Check: document.Fields} }

// readProxy reads the inline Dataplane of a mesh.
func readProxy(v tftypes.Value, mesh string, diags *diag.Diagnostics) document.Document {
	at := path.Root("proxy")
	doc, err := proxyDocument(v, mesh)
	if err == nil && doc == nil {
		err = errors.New("must be an object")
	}
	if err != nil {
		diags.AddAttributeError(at, "Invalid dataplane", phrase.Sentence(err))
		return document.Document{}
	}
	found := proxyReader().Value(doc)
	report.Reading(diags, at, found)
	if diags.HasError() {
		return document.Document{}
	}
	d, err := found.Only()
	r := d.Resource
	switch {
	case err != nil:
		diags.AddAttributeError(at, "Invalid dataplane", phrase.Sentence(err))
	case r.Type != kuma.KindDataplane:
		diags.AddAttributeError(at, "Invalid dataplane",
			fmt.Sprintf("proxy must be a %[2]s, and the document is a %[1]s.", r.Type, kuma.KindDataplane))
	case r.Mesh != mesh:
		diags.AddAttributeError(at, "Conflicting meshes",
			fmt.Sprintf("The document of the proxy is in mesh %q, but the data source is for mesh %q. Set both to the same mesh.", r.Mesh, mesh))
	}
	return d
}

// inlineProxy returns the inline Dataplane of a configuration, nil without one.
func inlineProxy(config tftypes.Value, proxy types.Dynamic, mesh string, diags *diag.Diagnostics) []document.Document {
	root, err := tfvalue.Attributes(config)
	if err != nil || isNull(proxy) {
		return nil
	}
	return []document.Document{readProxy(root["proxy"], mesh, diags)}
}
