package rollout

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// rolloutDataSource waits until proxies have a change, and reports which have it.
type rolloutDataSource struct{ dataSource }

type rolloutModel struct {
	waitModel

	Complete types.Bool       `tfsdk:"complete"`
	Counts   map[string]int64 `tfsdk:"counts"`
	Rejected []string         `tfsdk:"rejected"`
	Pending  []string         `tfsdk:"pending"`
	NotSent  []string         `tfsdk:"not_sent"`
	Offline  []string         `tfsdk:"offline"`
	Zones    []string         `tfsdk:"zones_offline"`
	Changed  types.String     `tfsdk:"changed"`
	Summary  types.String     `tfsdk:"summary"`
}

func (d *rolloutDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	listed := func(doc string) schema.Attribute {
		return tfschema.ComputedTexts(fmt.Sprintf("Names of proxies, in ascending order, at most %d: %s", maxProxies, doc))
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("rollout"),
		Attributes: map[string]schema.Attribute{
			"mesh":              meshAttribute(),
			"names":             schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: namesDoc},
			"since":             schema.StringAttribute{Optional: true, Validators: []validator.String{timestamp}, MarkdownDescription: sinceDoc},
			"timeout":           schema.StringAttribute{Optional: true, Validators: []validator.String{duration}, MarkdownDescription: timeoutDoc},
			"stop_at_rejection": schema.BoolAttribute{Optional: true, MarkdownDescription: stopDoc},
			"complete":          schema.BoolAttribute{Computed: true, MarkdownDescription: describe("rollout.complete")},
			"counts":            schema.MapAttribute{Computed: true, ElementType: types.Int64Type, MarkdownDescription: describe("rollout.counts")},
			"rejected":          listed("those that rejected a configuration since the change. Earlier rejections may be included."),
			"pending":           listed("those that had not acknowledged the change at the timeout, or about which nothing was known yet."),
			"not_sent":          listed("those whose settings the change affects, and that got no configuration until the timeout: the settings do not affect their Envoy configuration, or the control plane cannot generate it."),
			"offline":           listed("those that are not connected. They get the change when they connect."),
			"zones_offline":     tfschema.ComputedTexts(zonesOfflineDoc + " Nothing waits for them."),
			"changed":           tfschema.ComputedText("When the change was written, by the clock of the control plane, in RFC 3339 format."),
			"summary":           tfschema.ComputedText("Summary: the number of proxies by outcome, and the names of those that do not have the change."),
		},
		Blocks: map[string]schema.Block{"dataplanes": analysis.DataplanesBlock(allProxies)},
	}
}

func (d *rolloutDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m rolloutModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) || !d.cp.Ready(&resp.Diagnostics) {
		return
	}
	w := m.waiter(ctx, d.cp, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	result, err := w.wait(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Cannot wait for the rollout", report.RequestDetail(err))
		return
	}
	m.show(result, w.change)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// show sets the computed attributes.
func (m *rolloutModel) show(r rollout.Result, c rollout.Change) {
	m.Complete = types.BoolValue(r.Complete())
	m.Counts = map[string]int64{}
	for _, o := range rollout.Outcomes() {
		m.Counts[string(o)] = int64(len(r.Proxies[o]))
	}
	for outcome, to := range map[rollout.Outcome]*[]string{rollout.Rejected: &m.Rejected, rollout.Pending: &m.Pending, rollout.NotSent: &m.NotSent, rollout.Disconnected: &m.Offline} {
		names := r.Names(outcome)
		*to = names[:min(maxProxies, len(names))]
	}
	m.Zones = list(rollout.OfflineZones(r.Proxies[rollout.ZoneOffline]))
	m.Changed, m.Summary = optionalTime(c.First), types.StringValue(r.Summary())
}
