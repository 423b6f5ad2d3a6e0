package managed

import (
	"cmp"
	"context"
	"fmt"
	"path"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// Descriptions of arguments that select resources.
const (
	namePatternDoc = "Pattern of the names: `*` matches any string, `?` any character."
	labelsDoc      = "Labels of the resources."
	originDoc      = "Origin (label `kuma.io/origin`): `global` or `zone`."
)

// namePattern validates a name pattern.
var namePattern = tfschema.StringValidator{Wants: "a name pattern", Wrong: func(text string) (string, string) {
	if _, err := path.Match(text, ""); err == nil {
		return "", ""
	}
	return "Invalid pattern", fmt.Sprintf("%q is not a valid pattern. Close every bracket, as in \"web-[0-9]*\".", text)
}}

var originName = tfschema.OneOf(kuma.OriginGlobal, kuma.OriginZone)

// filterModel contains the arguments that select resources.
type filterModel struct {
	NamePattern types.String `tfsdk:"name_pattern"`
	Labels      types.Map    `tfsdk:"labels"`
	Origin      types.String `tfsdk:"origin"`
	Unmanaged   types.Bool   `tfsdk:"unmanaged"`
}

// filter returns the filter of the arguments for a control plane.
func (m filterModel) filter(ctx context.Context, s *store.Store, diags *diag.Diagnostics) *resourceFilter {
	f := &resourceFilter{store: s, pattern: cmp.Or(m.NamePattern.ValueString(), "*"), origin: m.Origin.ValueString(), owners: map[kuma.Key][]kuma.Resource{}}
	diags.Append(m.Labels.ElementsAs(ctx, &f.labels, false)...)
	f.unmanaged = m.Unmanaged.ValueBoolPointer()
	return f
}

// resourceFilter selects resources.
type resourceFilter struct {
	store     *store.Store
	pattern   string
	labels    map[string]string
	origin    string // empty for any
	unmanaged *bool
	owners    map[kuma.Key][]kuma.Resource // see [kinds.Owners], by kind and mesh
}

// check returns who manages a resource, see [kinds.ManagedBy], and whether it matches.
func (f *resourceFilter) check(ctx context.Context, k def.Kind, r kuma.Resource) (managedBy string, chosen bool, err error) {
	named, _ := path.Match(f.pattern, r.Name) // already validated
	if !named || !kuma.HasAll(r.Labels, f.labels) || f.origin != "" && f.origin != r.Labels[kuma.LabelOrigin] {
		return "", false, nil
	}
	within := kuma.Key{Type: k.Name, Mesh: r.Mesh}
	owners, ok := f.owners[within]
	if !ok {
		owners, err = f.store.MeshResources(ctx, r.Mesh, kinds.Owners(k))
		if err != nil {
			return "", false, err
		}
		f.owners[within] = owners
	}
	managedBy = kinds.ManagedBy(k, r, owners, f.store.ControlPlane)
	return managedBy, f.unmanaged == nil || *f.unmanaged == (managedBy == ""), nil
}
