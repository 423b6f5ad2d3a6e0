package rollout

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
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
			"not_sent": listed(
				"those whose settings the change affects, and that got no configuration until the timeout: " +
					"the settings do not affect their Envoy configuration, or the control plane cannot generate it."),
			"offline":       listed("those that are not connected. They get the change when they connect."),
			"zones_offline": tfschema.ComputedTexts(zonesOfflineDoc + " Nothing waits for them."),
			"changed":       tfschema.ComputedText("When the change was written, by the clock of the control plane, in RFC 3339 format."),
			"summary":       tfschema.ComputedText("Summary: the number of proxies by outcome, and the names of those that do not have the change."),
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
	for outcome, to := range map[rollout.Outcome]*[]string{
		rollout.Rejected: &m.Rejected, rollout.Pending: &m.Pending,
		rollout.NotSent: &m.NotSent, rollout.Disconnected: &m.Offline,
	} {
		names := r.Names(outcome)
		*to = names[:min(maxProxies, len(names))]
	}
	m.Zones = list(rollout.OfflineZones(r.Proxies[rollout.ZoneOffline]))
	m.Changed, m.Summary = optionalTime(c.First), types.StringValue(r.Summary())
}

// authorityModel is a certificate of a provided authority.
type authorityModel struct {
	Kind    string       `tfsdk:"kind"`
	Name    string       `tfsdk:"name"`
	Secret  types.String `tfsdk:"secret"`
	Subject types.String `tfsdk:"subject"`
	Expires types.String `tfsdk:"expires"`
	Problem types.String `tfsdk:"problem"`
}

func newAuthorityModels(authorities []rollout.Authority) []authorityModel {
	text := tfvalue.OptionalString
	models := []authorityModel{}
	for _, a := range authorities[:min(maxProxies, len(authorities))] {
		models = append(models, authorityModel{
			a.Resource.Type, a.Resource.Name, text(a.Secret), text(a.Subject), optionalTime(a.Expires),
			text(a.Problem),
		})
	}
	return models
}

// readAuthorities returns the provided authorities of a mesh. Of Secrets, it reads only those
// that a resource names.
func readAuthorities(ctx context.Context, s *store.Store, mesh string) ([]rollout.Authority, error) {
	resources, err := s.CurrentMeshResources(ctx, mesh, []def.Kind{kinds.Mesh, kinds.MeshIdentity, kinds.MeshTrust})
	if err != nil {
		return nil, err
	}
	return rollout.Authorities(resources, func(name string) (data, problem string) {
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

func authoritiesAttribute() schema.Attribute {
	text := tfschema.ComputedText
	return tfschema.ComputedList(
		fmt.Sprintf(
			"Certificates of the authorities that a `provided` backend of the Mesh, the `ca` of a MeshIdentity or a MeshTrust names: "+
				"first those that are not known, then those that expire first, at most %d. "+
				"Certificates in Secrets are read with the permissions of the provider, and nothing else of a Secret is kept.", maxProxies),
		map[string]schema.Attribute{
			"kind":    text("Kind of the resource that names the authority: `Mesh`, `MeshIdentity` or `MeshTrust`."),
			"name":    text("Name of the resource."),
			"secret":  text("Name of the Secret with the certificate. Null if it is not in a Secret."),
			"subject": text("Subject of the certificate, such as `CN=shop`. Null if it is not known."),
			"expires": text("When it expires, in RFC 3339 format. Null if it is not known."),
			"problem": text("Why the certificate is not known: " +
				"only the control plane reads it, from a file or an environment variable, the Secret does not exist or must not be read, or it is " +
				"not a certificate. Null if it is known."),
		})
}

// certificatesModel is what is known about the certificates of the proxies.
type certificatesModel struct {
	Issuers       map[string]int64 `tfsdk:"issuers"`
	Without       []string         `tfsdk:"without"`
	WithoutCount  int64            `tfsdk:"without_count"`
	Expiring      []string         `tfsdk:"expiring"`
	ExpiringCount int64            `tfsdk:"expiring_count"`
	First         types.String     `tfsdk:"first_expiry"`
	Ready         bool             `tfsdk:"ready"`
}

func newCertificatesModel(c rollout.Certificates) *certificatesModel {
	m := certificatesModel{
		Issuers: map[string]int64{}, Ready: c.Ready, First: optionalTime(c.First),
		Without: list(c.Without[:min(maxProxies, len(c.Without))]), WithoutCount: int64(len(c.Without)),
		Expiring: list(c.Expiring[:min(maxProxies, len(c.Expiring))]), ExpiringCount: int64(len(c.Expiring)),
	}
	for issuer, n := range c.Issuers {
		m.Issuers[issuer] = int64(n)
	}
	return &m
}

func certificatesAttribute() schema.Attribute {
	names := func(doc string) schema.Attribute {
		return tfschema.ComputedTexts(fmt.Sprintf("%s At most %d names, in ascending order.", doc, maxProxies))
	}
	return tfschema.ComputedObject("The certificates of the connected Dataplanes. Those that connect later get theirs then.",
		map[string]schema.Attribute{
			"issuers": schema.MapAttribute{
				Computed: true, ElementType: types.Int64Type,
				MarkdownDescription: describe("certificates.issuers"),
			},
			"without":        names("Names of Dataplanes without a certificate, which send and accept only plaintext."),
			"without_count":  tfschema.ComputedNumber("Number of Dataplanes without a certificate."),
			"expiring":       names("Names of Dataplanes whose certificate expires within `expires_within`, or has expired."),
			"expiring_count": tfschema.ComputedNumber("Number of Dataplanes whose certificate expires soon."),
			"first_expiry":   tfschema.ComputedText("When the first certificate expires, in RFC 3339 format. Null without certificates."),
			"ready":          schema.BoolAttribute{Computed: true, MarkdownDescription: describe("certificates.ready")},
		})
}
