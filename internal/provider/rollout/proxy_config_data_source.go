package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// proxyConfigDataSource reads the Envoy configuration that a control plane generates for
// a proxy.
type proxyConfigDataSource struct{ dataSource }

type proxyConfigModel struct {
	Mesh      types.String `tfsdk:"mesh"`
	Dataplane types.String `tfsdk:"dataplane"`
	Type      types.String `tfsdk:"type"`
	Name      types.String `tfsdk:"name"`
	Shadow    types.Bool   `tfsdk:"shadow"`

	Config      types.String        `tfsdk:"config"`
	Resources   map[string][]string `tfsdk:"resources"`
	Changes     []envoyChangeModel  `tfsdk:"changes"`
	ChangeCount types.Int64         `tfsdk:"change_count"`
	Problem     types.String        `tfsdk:"problem"`
	Summary     types.String        `tfsdk:"summary"`
}

type envoyChangeModel struct {
	Type   string       `tfsdk:"type"`
	Name   string       `tfsdk:"name"`
	Path   string       `tfsdk:"path"`
	Before types.String `tfsdk:"before"`
	After  types.String `tfsdk:"after"`
}

// maxEnvoyChanges is the maximum number of changes in the state.
const maxEnvoyChanges = 100

func (d *proxyConfigDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := tfschema.ComputedText
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("proxy_config"),
		Attributes: map[string]schema.Attribute{
			"mesh":      schema.StringAttribute{Optional: true, MarkdownDescription: "Mesh of the proxy. Defaults to `default`."},
			"dataplane": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the Dataplane."},
			"type": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Type of the Envoy resources to read, such as `Listener` or `Cluster`. Defaults to all types.",
			},
			"name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Name of the Envoy resource to read. Requires `type`. Defaults to all resources of the type.",
			},
			"shadow": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to generate the configuration as if shadow policies were in effect. Defaults to `false`.",
			},
			"config": text("The configuration as JSON: resources by type and name. " +
				"With `type`, the resources of the type by name, and with `name` the resource. Null if there is none: see `problem`."),
			"resources": schema.MapAttribute{
				Computed: true, ElementType: types.ListType{ElemType: types.StringType},
				MarkdownDescription: "Names of all Envoy resources by type, in ascending order.",
			},
			"changes": tfschema.ComputedList(
				fmt.Sprintf("What shadow policies change, by type and name of the Envoy resource, of which `type` and `name` select some. "+
					"At most %d changes; `change_count` is their number. Null without `shadow`.", maxEnvoyChanges), map[string]schema.Attribute{
					"type":   text("Type of the Envoy resource."),
					"name":   text("Name of the Envoy resource."),
					"path":   text("Path of the value in the resource. Empty for the whole resource."),
					"before": text("Value without shadow policies, as JSON. Null if there is none."),
					"after":  text("Value with shadow policies, as JSON. Null if there is none."),
				}),
			"change_count": tfschema.ComputedNumber("Number of changes. Null without `shadow`."),
			"problem": text(
				"Why there is no configuration: the proxy has never connected, the control plane is a global one, or the control plane cannot " +
					"generate the configuration, so the proxy gets no changes until the cause is removed. Null if there is a configuration."),
			"summary": text("Human-readable list of the changes, or the problem. Null without `shadow` if there is no problem."),
		},
	}
}

// ValidateConfig reports a name without a type.
func (d *proxyConfigDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse,
) {
	var m proxyConfigModel
	if report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) && m.Type.IsNull() && !m.Name.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Missing type",
			"name requires type: Envoy resources of different types can have the same name. Set type, such as \"Listener\".")
	}
}

func (d *proxyConfigDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m proxyConfigModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) || !d.cp.Ready(&resp.Diagnostics) {
		return
	}
	answer, err := d.cp.Store.Client().ProxyConfig(ctx, m.mesh(), m.Dataplane.ValueString(), m.Shadow.ValueBool())
	if err != nil {
		m.explain(ctx, d.cp.Store, err, &resp.Diagnostics)
	} else {
		m.show(answer, &resp.Diagnostics)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	}
}

func (m *proxyConfigModel) mesh() string { return cmp.Or(m.Mesh.ValueString(), kuma.DefaultMesh) }

// explain sets why there is no configuration, or reports an error.
func (m *proxyConfigModel) explain(ctx context.Context, s *store.Store, err error, diags *diag.Diagnostics) {
	notFound, isNotFound := errors.AsType[*controlplane.NotFoundError](err)
	failed, isFailed := errors.AsType[*controlplane.ServerError](err)
	_, isNotAllowed := errors.AsType[*controlplane.NotAllowedError](err)
	problem := ""
	switch {
	case isNotFound && notFound.Mesh:
		reportMissingMesh(diags, m.mesh())
		return
	case isNotFound:
		_, err := s.Resources(kinds.Dataplane).Current(ctx, kuma.Key{Type: kuma.KindDataplane, Mesh: m.mesh(), Name: m.Dataplane.ValueString()})
		if err != nil {
			diags.AddAttributeError(path.Root("dataplane"), "Dataplane not found",
				fmt.Sprintf("Mesh %q has no Dataplane %q. Check the name.", m.mesh(), m.Dataplane.ValueString()))
			return
		}
		problem = "The proxy has never connected."
	case isNotAllowed:
		problem = "A global control plane generates no configuration. Connect to the control plane of the zone."
	case isFailed && failed.Status == http.StatusInternalServerError:
		problem = fmt.Sprintf("The control plane cannot generate the configuration, so the proxy gets no changes: %s: "+
			"%s The log of the control plane says why.", failed.Title, phrase.Sentence(errors.New(failed.Detail)))
	default:
		diags.AddError("Cannot read the configuration", report.RequestDetail(err))
		return
	}
	m.Problem, m.Summary = types.StringValue(problem), types.StringValue(problem)
}

// show sets the configuration and the changes.
func (m *proxyConfigModel) show(answer map[string]any, diags *diag.Diagnostics) {
	config, changes := rollout.ReadEnvoyConfig(answer)
	m.Resources = config.Names()
	selected := m.selected(config, diags)
	if diags.HasError() {
		return
	}
	m.Config = types.StringValue(phrase.JSON(selected))
	if !m.Shadow.ValueBool() {
		return
	}
	changes = slices.DeleteFunc(changes, func(c rollout.EnvoyChange) bool {
		return !m.Type.IsNull() && c.Type != m.Type.ValueString() || !m.Name.IsNull() && c.Name != m.Name.ValueString()
	})
	rollout.SortChanges(changes)
	m.ChangeCount = types.Int64Value(int64(len(changes)))
	m.Summary = types.StringValue(rollout.ChangeSummary(m.Dataplane.ValueString(), changes))
	m.Changes = []envoyChangeModel{}
	for _, c := range changes[:min(maxEnvoyChanges, len(changes))] {
		m.Changes = append(m.Changes, envoyChangeModel{c.Type, c.Name, c.Path, optionalJSON(c.Before), optionalJSON(c.After)})
	}
}

// selected returns the part of the configuration that type and name select. It reports
// those that do not exist.
func (m *proxyConfigModel) selected(config rollout.EnvoyConfig, diags *diag.Diagnostics) any {
	if m.Type.IsNull() {
		return config
	}
	ofType, ok := config[m.Type.ValueString()]
	if !ok {
		known := slices.Sorted(maps.Keys(config))
		diags.AddAttributeError(path.Root("type"), "Envoy type not found",
			fmt.Sprintf("The configuration has no resources of type %q. Types of its resources: %s.%s", m.Type.ValueString(), phrase.And(known...),
				phrase.Suggest(m.Type.ValueString(), known)))
		return nil
	}
	if m.Name.IsNull() {
		return ofType
	}
	resource, ok := ofType[m.Name.ValueString()]
	if !ok {
		known := slices.Sorted(maps.Keys(ofType))
		diags.AddAttributeError(path.Root("name"), "Envoy resource not found",
			fmt.Sprintf("The configuration has no %s %q. It has %s.%s", m.Type.ValueString(), m.Name.ValueString(), phrase.Some(known, 10, ""),
				phrase.Suggest(m.Name.ValueString(), known)))
	}
	return resource
}

// optionalJSON returns null for no value.
func optionalJSON(v any) types.String {
	if v == nil {
		return types.StringNull()
	}
	return types.StringValue(phrase.JSON(v))
}
