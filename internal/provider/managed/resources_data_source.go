package managed

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
)

// resourcesDataSource lists resources, and generates the configuration to take them
// over.
type resourcesDataSource struct{ report.DataSource }

var (
	_ datasource.DataSourceWithConfigure      = (*resourcesDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*resourcesDataSource)(nil)
)

type resourcesArguments struct {
	Type   types.String `tfsdk:"type"`
	Mesh   types.String `tfsdk:"mesh"`
	Global types.Bool   `tfsdk:"global"`
	filterModel
	Include     types.Set    `tfsdk:"include"`
	KumaVersion types.String `tfsdk:"kuma_version"`
	StateFile   types.String `tfsdk:"state_file"`
}

// Values of `include`.
const (
	includeConfiguration = "configuration"
	includeFiles         = "files"
)

func (d *resourcesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m resourcesArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) || !d.CP.Ready(&resp.Diagnostics) {
		return
	}
	include := m.included(ctx, &resp.Diagnostics)
	listed := m.list(ctx, d.CP.Store, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	var found answer.Resources
	var unmanaged []kuma.Resource
	for _, l := range listed {
		found.Resources = append(found.Resources, l.answer())
		if l.managedBy == "" {
			unmanaged = append(unmanaged, l.resource)
		}
	}
	release := d.CP.Capabilities().ControlPlane.Release
	options := configuration.Options{Imports: true, Release: release, DisplayNames: release != (kuma.Release{}) && !release.NamesResources()}
	var err error
	if !m.KumaVersion.IsNull() {
		if unmanaged, err = rewrite(include, listed, d.CP.Capabilities().ControlPlane, &options, &found); err != nil {
			resp.Diagnostics.AddError("Cannot rewrite the mesh", phrase.Sentence(err))
			return
		}
	}
	if m.movedFrom(unmanaged, &options, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	if slices.Contains(include, includeConfiguration) {
		var text string
		text, err = configuration.File(unmanaged, options)
		found.Configuration = &text
	}
	if err == nil && slices.Contains(include, includeFiles) {
		found.Files, err = configuration.Files(unmanaged, options)
	}
	if err != nil {
		resp.Diagnostics.AddError("Cannot generate the configuration", phrase.Sentence(err))
		return
	}
	report.Write(ctx, req.Config, &resp.State, found)
}

// included returns the attributes to compute.
func (m *resourcesArguments) included(ctx context.Context, diags *diag.Diagnostics) []string {
	var include []string
	diags.Append(m.Include.ElementsAs(ctx, &include, false)...)
	for _, name := range include {
		if name != includeConfiguration && name != includeFiles {
			diags.AddAttributeError(path.Root("include"), "Invalid value for include",
				fmt.Sprintf("%q is not valid. Valid values are %q and %q.", name, includeConfiguration, includeFiles))
		}
	}
	return include
}

// listedResource is a resource with additional information.
type listedResource struct {
	kind      def.Kind
	resource  kuma.Resource
	managedBy string
}

func (l listedResource) answer() answer.ListedResource {
	r := l.resource
	out := answer.ListedResource{
		Type: r.Type, Mesh: r.Mesh, Name: r.Name, Labels: r.Labels, KRI: l.kind.KRI(r), ManagedBy: l.managedBy,
		ResourceType: configuration.ResourceType(r), ImportID: configuration.ImportID(r), Identity: map[string]string{"name": r.Name},
		Document: phrase.JSON(l.kind.WithoutSecrets(r).Document()),
	}
	if r.Mesh != "" {
		out.Identity["mesh"] = r.Mesh
	}
	if out.ResourceType == configuration.ManifestType {
		out.Identity["type"] = r.Type
	}
	for name, to := range map[string]*string{"status": &out.Status, "snis": &out.SNIs} {
		if v, ok := r.Reported[name]; ok {
			*to = phrase.JSON(v)
		}
	}
	return out
}
