package rollout

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
)

// proxiesDataSource reports the state of the proxies of a mesh.
type proxiesDataSource struct{ report.DataSource }

type proxiesArguments struct {
	selectionModel
	ZoneProxies types.Bool   `tfsdk:"zone_proxies"`
	Status      types.String `tfsdk:"status"`
	Expires     types.String `tfsdk:"expires_within"`
	Complete    types.Bool   `tfsdk:"complete"`
}

// usualExpiry is the default of expires_within: control planes issue certificates for a
// day or longer (rest-api.md §17.1).
const usualExpiry = time.Hour

func (d *proxiesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m proxiesArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) || !d.CP.Ready(&resp.Diagnostics) {
		return
	}
	selected := m.selection(ctx, d.CP.Store, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	selected.zoneProxies = m.ZoneProxies.ValueBool()
	now, err := selected.read(ctx, d.CP.Store)
	var authorities []rollout.Authority
	if err == nil {
		authorities, err = ReadAuthorities(ctx, d.CP.Store, selected.mesh, d.CP.Store.ControlPlane.Release)
	}
	if err != nil {
		reportReading(&resp.Diagnostics, selected.mesh, err)
		return
	}
	within, err := time.ParseDuration(m.Expires.ValueString())
	if err != nil {
		within = usualExpiry
	}
	report.Write(ctx, req.Config, &resp.State,
		answer.OfProxies(now, authorities, within, rollout.Status(m.Status.ValueString()), m.Complete.ValueBool()))
}

// ReadAuthorities returns the provided authorities of a mesh, with their problems on a release. Of Secrets, it reads only
// those that a resource names.
func ReadAuthorities(ctx context.Context, s *store.Store, mesh string, release kuma.Release) ([]rollout.Authority, error) {
	resources, err := s.CurrentMeshResources(ctx, mesh, []def.Kind{kinds.Mesh, kinds.MeshIdentity, kinds.MeshTrust})
	if err != nil {
		return nil, err
	}
	return rollout.Authorities(resources, release, func(name string) (data, problem string) {
		secret, err := s.Resources(kinds.Secret).Current(ctx, kuma.Key{Type: kinds.Secret.Name, Mesh: mesh, Name: name})
		switch {
		case store.IsNotFound(err):
			return "", fmt.Sprintf("There is no Secret %q.", name)
		case err != nil:
			return "", report.RequestDetail(err)
		}
		data, _ = secret.Body["data"].(string)
		return data, ""
	}), nil
}
