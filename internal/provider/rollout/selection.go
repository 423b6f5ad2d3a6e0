package rollout

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// selectionModel contains the arguments that select the proxies of a mesh.
type selectionModel struct {
	Mesh       types.String              `tfsdk:"mesh"`
	Dataplanes *analysis.DataplanesModel `tfsdk:"dataplanes"`
}

func meshAttribute() schema.Attribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: "Mesh of the proxies. Defaults to `default`."}
}

func (m selectionModel) mesh() string { return cmp.Or(m.Mesh.ValueString(), kuma.DefaultMesh) }

// read returns the state of the selected proxies.
func (m selectionModel) read(ctx context.Context, s *store.Store, diags *diag.Diagnostics) []rollout.Proxy {
	proxies := readProxies(ctx, s, kinds.Dataplane, m.mesh(), diags)
	if m.Dataplanes == nil || diags.HasError() {
		return proxies
	}
	resources, err := s.CurrentMeshResources(ctx, m.mesh(), []def.Kind{kinds.Mesh, kinds.Dataplane, kinds.MeshService})
	if err != nil {
		report.Connection(diags, err)
		return nil
	}
	snapshot := rules.NewSnapshotFor(s.ControlPlane.Release, resources)
	by := m.Dataplanes.Selector(ctx, snapshot, m.mesh(), diags)
	if diags.HasError() {
		return nil
	}
	names, err := snapshot.SelectDataplanes(m.mesh(), by)
	if err != nil {
		diags.AddError("Cannot select proxies", phrase.Sentence(err))
		return nil
	}
	return slices.DeleteFunc(proxies, func(p rollout.Proxy) bool {
		_, selected := slices.BinarySearch(names, p.Name)
		return !selected
	})
}

// readProxies returns the state of the proxies of a kind.
func readProxies(ctx context.Context, s *store.Store, k def.Kind, mesh string, diags *diag.Diagnostics) []rollout.Proxy {
	var proxies []rollout.Proxy
	for o, err := range s.Client().Overviews(ctx, k, mesh) {
		var p rollout.Proxy
		if err == nil {
			p, err = rollout.ReadProxy(k.Name, o.Document)
		}
		switch {
		case store.IsNotFound(err):
			diags.AddAttributeError(path.Root("mesh"), "Mesh not found", fmt.Sprintf("The control plane has no mesh %q. Check the name, or create the mesh first.", mesh))
			return nil
		case err != nil:
			diags.AddError("Cannot read the proxies", report.RequestDetail(err))
			return nil
		}
		proxies = append(proxies, p)
	}
	return proxies
}

// zoneProxies returns the state of zone ingresses and zone egresses; none if the
// release has none.
func zoneProxies(ctx context.Context, s *store.Store, diags *diag.Diagnostics) []rollout.Proxy {
	var proxies []rollout.Proxy
	for _, k := range []def.Kind{kinds.ZoneIngress, kinds.ZoneEgress} {
		if !s.Has(k) {
			continue
		}
		proxies = append(proxies, readProxies(ctx, s, k, "", diags)...)
	}
	return proxies
}
