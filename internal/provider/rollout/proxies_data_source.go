package rollout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// proxiesDataSource reports the state of the proxies of a mesh.
type proxiesDataSource struct{ dataSource }

type proxiesModel struct {
	selectionModel
	ZoneProxies types.Bool   `tfsdk:"zone_proxies"`
	Status      types.String `tfsdk:"status"`
	Expires     types.String `tfsdk:"expires_within"`
	Complete    types.Bool   `tfsdk:"complete"`

	Proxies      []proxyModel       `tfsdk:"proxies"`
	Omitted      types.Int64        `tfsdk:"proxies_omitted"`
	ZonesOffline []string           `tfsdk:"zones_offline"`
	Counts       map[string]int64   `tfsdk:"counts"`
	Authorities  []authorityModel   `tfsdk:"authorities"`
	Certificates *certificatesModel `tfsdk:"certificates"`
	Versions     []versionModel     `tfsdk:"versions"`
	Summary      types.String       `tfsdk:"summary"`
}

// maxProxies is the maximum number of proxies in the state, unless the argument complete
// is set.
const maxProxies = 100

// usualExpiry is the default of expires_within: control planes issue certificates for a
// day or longer (rest-api.md §17.1).
const usualExpiry = time.Hour

func (d *proxiesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"mesh":         meshAttribute(),
		"zone_proxies": schema.BoolAttribute{Optional: true, MarkdownDescription: describe("proxies.zone_proxies")},
		"status": schema.StringAttribute{
			Optional: true, Validators: []validator.String{tfschema.OneOf(statuses()...)},
			MarkdownDescription: describe("proxies.status"),
		},
		"expires_within": schema.StringAttribute{
			Optional: true, Validators: []validator.String{duration},
			MarkdownDescription: "Time in which a certificate expires soon, such as `72h`. Defaults to `1h`.",
		},
		"complete": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: fmt.Sprintf(
				"Whether `proxies` contains any number of proxies. Defaults to `false`: "+
					"it then contains at most %d, those that need attention first, which keeps the state small. "+
					"`counts` and `versions` are exact in both cases.", maxProxies),
		},
		"proxies": tfschema.ComputedList(
			"The proxies, sorted by how much they need attention: "+
				"those that rejected a configuration, then those that are offline, unknown, partially degraded, of an unsupported version, or have "+
				"not answered, then all others; within each by type and name.", proxyAttributes()),
		"proxies_omitted": tfschema.ComputedNumber("Number of proxies that `proxies` omits because of its limit."),
		"counts": schema.MapAttribute{
			Computed: true, ElementType: types.Int64Type,
			MarkdownDescription: "Number of proxies by status: `online`, `partially_degraded`, `offline` and `unknown`.",
		},
		"zones_offline": tfschema.ComputedTexts(zonesOfflineDoc),
		"authorities":   authoritiesAttribute(),
		"certificates":  certificatesAttribute(),
		"versions": tfschema.ComputedList("The versions of connected proxies, the most frequent first.", map[string]schema.Attribute{
			"kuma_dp":   tfschema.ComputedText("Version of kuma-dp. Null if it is not known."),
			"envoy":     tfschema.ComputedText("Version of Envoy. Null if it is not known."),
			"supported": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the control plane supports these versions."},
			"count":     tfschema.ComputedNumber("Number of proxies."),
		}),
		"summary": tfschema.ComputedText(
			"Summary: the number of proxies by status, the names of proxies that need attention, the versions, and when the first certificate and " +
				"the first authority expire."),
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("proxies"),
		Attributes:          attributes,
		Blocks:              map[string]schema.Block{"dataplanes": analysis.DataplanesBlock(allProxies)},
	}
}

func statuses() []string {
	var names []string
	for _, s := range rollout.Statuses() {
		names = append(names, string(s))
	}
	return names
}

func (d *proxiesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m proxiesModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) || !d.cp.Ready(&resp.Diagnostics) {
		return
	}
	selected := m.selection(ctx, d.cp.Store, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	now, err := selected.read(ctx, d.cp.Store)
	if err == nil && m.ZoneProxies.ValueBool() {
		var zones []rollout.Proxy
		zones, err = zoneProxies(ctx, d.cp.Store)
		now.Proxies = append(now.Proxies, zones...)
	}
	if err != nil {
		reportReading(&resp.Diagnostics, selected.mesh, err)
		return
	}
	authorities, err := readAuthorities(ctx, d.cp.Store, selected.mesh)
	if err != nil {
		reportReading(&resp.Diagnostics, selected.mesh, err)
		return
	}
	m.show(now, authorities)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// show sets the computed attributes.
func (m *proxiesModel) show(now rollout.Reading, authorities []rollout.Authority) {
	proxies := now.Proxies
	rollout.WorstFirst(proxies)
	listed := proxies
	if wanted := rollout.Status(m.Status.ValueString()); wanted != "" {
		listed = slices.DeleteFunc(slices.Clone(proxies), func(p rollout.Proxy) bool { return p.Status != wanted })
	}
	kept := listed
	if !m.Complete.ValueBool() {
		kept = listed[:min(maxProxies, len(listed))]
	}
	m.Proxies = make([]proxyModel, len(kept))
	for i, p := range kept {
		m.Proxies[i] = newProxyModel(p)
	}
	m.Omitted = types.Int64Value(int64(len(listed) - len(kept)))
	m.ZonesOffline = list(rollout.OfflineZones(proxies))
	m.Counts = map[string]int64{}
	for s, n := range rollout.Count(proxies) {
		m.Counts[string(s)] = int64(n)
	}
	m.Versions = []versionModel{}
	for _, v := range rollout.Versions(proxies) {
		m.Versions = append(m.Versions, newVersionModel(v))
	}
	within, err := time.ParseDuration(m.Expires.ValueString())
	if err != nil {
		within = usualExpiry
	}
	certificates := rollout.ReadCertificates(proxies, now.At, within)
	m.Certificates = newCertificatesModel(certificates)
	m.Summary = types.StringValue(rollout.Summary(proxies, certificates) + rollout.SummarizeAuthorities(authorities))
	m.Authorities = newAuthorityModels(authorities)
}
