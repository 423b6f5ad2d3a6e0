package rollout

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
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

func (m selectionModel) mesh() string { return cmp.Or(m.Mesh.ValueString(), kuma.DefaultMesh) }

// selection selects Dataplanes of a mesh.
type selection struct {
	mesh        string
	some        bool     // of the Dataplanes: names, which may be none
	names       []string // in ascending order
	zoneProxies bool     // also all zone ingresses and zone egresses, of which a release may have none
}

// selection returns what the arguments select.
func (m selectionModel) selection(ctx context.Context, s *store.Store, diags *diag.Diagnostics) selection {
	all := selection{mesh: m.mesh()}
	if m.Dataplanes == nil {
		return all
	}
	resources, err := s.CurrentMeshResources(ctx, all.mesh, []def.Kind{kinds.Mesh, kinds.Dataplane, kinds.MeshService})
	if err != nil {
		report.Connection(diags, err)
		return all
	}
	if !slices.ContainsFunc(resources, func(r kuma.Resource) bool { return r.Key() == kuma.MeshKey(all.mesh) }) {
		reportMissingMesh(diags, all.mesh)
		return all
	}
	snapshot := rules.NewSnapshotFor(s.ControlPlane.Release, resources)
	by := m.Dataplanes.Selector(ctx, diags)
	if analysis.ReportArguments(diags, answer.CheckService(snapshot, all.mesh, by.Service)) {
		return all
	}
	names, err := snapshot.SelectDataplanes(all.mesh, by)
	if err != nil {
		diags.AddError("Cannot select proxies", phrase.Sentence(err))
	}
	return selection{mesh: all.mesh, some: true, names: names}
}

func reportMissingMesh(diags *diag.Diagnostics, mesh string) {
	diags.AddAttributeError(path.Root("mesh"), "Mesh not found",
		fmt.Sprintf("The control plane has no mesh %q. Check the name, or create the mesh first.", mesh))
}

// ReadMesh returns the state of all proxies of a mesh.
func ReadMesh(ctx context.Context, s *store.Store, mesh string) (rollout.Reading, error) {
	return selection{mesh: mesh}.read(ctx, s)
}

// read returns the state of the selected proxies.
func (sel selection) read(ctx context.Context, s *store.Store) (rollout.Reading, error) {
	offline, err := offlineZones(ctx, s)
	if err != nil {
		return rollout.Reading{}, err
	}
	now, err := readProxies(ctx, s, kinds.Dataplane, sel.mesh, offline)
	if sel.some {
		now.Proxies = slices.DeleteFunc(now.Proxies, func(p rollout.Proxy) bool {
			_, selected := slices.BinarySearch(sel.names, p.Name)
			return !selected
		})
	}
	for _, k := range []def.Kind{kinds.ZoneIngress, kinds.ZoneEgress} {
		if err == nil && sel.zoneProxies && s.Has(k) {
			var zones rollout.Reading
			zones, err = readProxies(ctx, s, k, "", offline)
			now.Proxies = append(now.Proxies, zones.Proxies...)
		}
	}
	return now, err
}

// offlineZones returns the names of the zones that are not connected to a global control
// plane; none of the control plane of a zone.
func offlineZones(ctx context.Context, s *store.Store) (map[string]bool, error) {
	offline := map[string]bool{}
	if s.ControlPlane.Mode != kuma.ModeGlobal {
		return offline, nil
	}
	for o, err := range s.Overviews(ctx, kinds.Zone, "") {
		if err != nil {
			return nil, err
		}
		name, connected, err := rollout.ReadZone(o.Document)
		if err != nil {
			return nil, err
		}
		offline[name] = !connected
	}
	return offline, nil
}

// readProxies returns the state of the proxies of a kind, of which those of some zones are not
// known.
func readProxies(ctx context.Context, s *store.Store, k def.Kind, mesh string, offline map[string]bool) (rollout.Reading, error) {
	var now rollout.Reading
	for o, err := range s.Overviews(ctx, k, mesh) {
		if err != nil {
			return now, err
		}
		p, err := rollout.ReadProxy(k.Name, o.Document)
		if err != nil {
			return now, err
		}
		if len(now.Proxies) == 0 {
			now.At = o.At
		}
		if offline[p.Zone] {
			p = p.InOfflineZone()
		}
		now.Proxies = append(now.Proxies, p)
	}
	if now.At.IsZero() {
		now.At = time.Now()
	}
	return now, nil
}

// reportReading reports why the state of proxies of a mesh could not be read.
func reportReading(diags *diag.Diagnostics, mesh string, err error) {
	if store.IsNotFound(err) {
		reportMissingMesh(diags, mesh)
		return
	}
	diags.AddError("Cannot read the proxies", report.RequestDetail(err))
}
