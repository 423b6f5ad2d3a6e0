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
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
)

// proxyConfigDataSource reads the Envoy configuration that a control plane generates for
// a proxy.
type proxyConfigDataSource struct{ report.DataSource }

type proxyConfigArguments struct {
	Mesh      types.String `tfsdk:"mesh"`
	Dataplane types.String `tfsdk:"dataplane" schema:"required"`
	Type      types.String `tfsdk:"type"`
	Name      types.String `tfsdk:"name"`
	Shadow    types.Bool   `tfsdk:"shadow"`
}

// ValidateConfig reports a name without a type.
func (d *proxyConfigDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse,
) {
	var m proxyConfigArguments
	if report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) && m.Type.IsNull() && !m.Name.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Missing type",
			"name requires type: Envoy resources of different types can have the same name. Set type, such as \"Listener\".")
	}
}

func (d *proxyConfigDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m proxyConfigArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) || !d.CP.Ready(&resp.Diagnostics) {
		return
	}
	read, err := d.CP.Store.Client().ProxyConfig(ctx, m.mesh(), m.Dataplane.ValueString(), m.Shadow.ValueBool())
	var found answer.ProxyConfig
	if err != nil {
		found.Problem = m.problem(ctx, d.CP.Store, err, &resp.Diagnostics)
		found.Summary = found.Problem
	} else {
		found = m.show(read, &resp.Diagnostics)
	}
	if !resp.Diagnostics.HasError() {
		report.Write(ctx, req.Config, &resp.State, found)
	}
}

func (m *proxyConfigArguments) mesh() string { return cmp.Or(m.Mesh.ValueString(), kuma.DefaultMesh) }

// problem returns why there is no configuration, or reports an error.
func (m *proxyConfigArguments) problem(ctx context.Context, s *store.Store, err error, diags *diag.Diagnostics) string {
	notFound, isNotFound := errors.AsType[*controlplane.NotFoundError](err)
	failed, isFailed := errors.AsType[*controlplane.ServerError](err)
	_, isNotAllowed := errors.AsType[*controlplane.NotAllowedError](err)
	switch {
	case isNotFound && notFound.Mesh:
		reportMissingMesh(diags, m.mesh())
	case isNotFound:
		_, err := s.Resources(kinds.Dataplane).Current(ctx, kuma.Key{Type: kuma.KindDataplane, Mesh: m.mesh(), Name: m.Dataplane.ValueString()})
		if err == nil {
			return "The proxy has never connected."
		}
		diags.AddAttributeError(path.Root("dataplane"), "Dataplane not found",
			fmt.Sprintf("Mesh %q has no Dataplane %q. Check the name.", m.mesh(), m.Dataplane.ValueString()))
	case isNotAllowed:
		return "A global control plane generates no configuration. Connect to the control plane of the zone."
	case isFailed && failed.Status == http.StatusInternalServerError:
		return fmt.Sprintf("The control plane cannot generate the configuration, so the proxy gets no changes: %s: "+
			"%s The log of the control plane says why.", failed.Title, phrase.Sentence(errors.New(failed.Detail)))
	default:
		diags.AddError("Cannot read the configuration", report.RequestDetail(err))
	}
	return ""
}

// show returns the configuration and the changes that a control plane has answered.
func (m *proxyConfigArguments) show(read map[string]any, diags *diag.Diagnostics) answer.ProxyConfig {
	config, changes := rollout.ReadEnvoyConfig(read)
	found := answer.ProxyConfig{Config: phrase.JSON(m.selected(config, diags)), Resources: config.Names()}
	if m.Shadow.ValueBool() {
		found.SetChanges(m.Dataplane.ValueString(), slices.DeleteFunc(changes, func(c rollout.EnvoyChange) bool {
			return !m.Type.IsNull() && c.Type != m.Type.ValueString() || !m.Name.IsNull() && c.Name != m.Name.ValueString()
		}))
	}
	return found
}

// selected returns the part of the configuration that type and name select. It reports
// those that do not exist.
func (m *proxyConfigArguments) selected(config rollout.EnvoyConfig, diags *diag.Diagnostics) any {
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
