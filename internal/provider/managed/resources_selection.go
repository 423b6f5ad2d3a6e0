package managed

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	tfpath "github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// list returns the resources that match the arguments.
func (m *resourcesArguments) list(ctx context.Context, s *store.Store, diags *diag.Diagnostics) []listedResource {
	selected := m.kinds(s, diags)
	if diags.HasError() {
		return nil
	}
	var found []kuma.Resource
	for _, k := range selected {
		resources, err := m.ofKind(ctx, s, k)
		switch {
		case store.IsNotFound(err):
			diags.AddAttributeError(tfpath.Root("mesh"), "Mesh not found", fmt.Sprintf("The control plane has no mesh %q.", m.Mesh.ValueString()))
			return nil
		case err != nil:
			reportFailure(diags, k, "Cannot list the resources", err)
			return nil
		}
		found = append(found, resources...)
	}
	filter := m.filter(ctx, s, diags)
	var out []listedResource
	for _, r := range found {
		k, _ := s.Find(r.Type)
		managedBy, matches, err := filter.check(ctx, k, r)
		if err != nil {
			reportFailure(diags, k, "Cannot list the resources", err)
			return nil
		}
		if matches {
			out = append(out, listedResource{k, r, managedBy})
		}
	}
	slices.SortStableFunc(out, func(a, b listedResource) int {
		return cmp.Or(compareMeshFirst(a.resource, b.resource), kuma.CompareKeys(a.resource.Key(), b.resource.Key()))
	})
	return out
}

// compareMeshFirst sorts meshes before their resources.
func compareMeshFirst(a, b kuma.Resource) int {
	rank := func(r kuma.Resource) int {
		if r.Type == kuma.KindMesh {
			return 0
		}
		return 1
	}
	return cmp.Compare(rank(a), rank(b))
}

// kinds returns the kinds to list.
func (m *resourcesArguments) kinds(s *store.Store, diags *diag.Diagnostics) []def.Kind {
	if m.Type.IsNull() {
		return slices.DeleteFunc(s.Manageable(), func(k def.Kind) bool {
			return k.Scope == def.Global && !k.Contains && !m.Global.ValueBool()
		})
	}
	k, ok := s.Find(m.Type.ValueString())
	switch {
	case !ok:
		diags.AddAttributeError(tfpath.Root("type"), "Unsupported kind",
			phrase.Sentence(document.UnknownKind(m.Type.ValueString(), s.KindNames()...)))
	case k.Scope == def.Global && !m.Mesh.IsNull():
		diags.AddAttributeError(tfpath.Root("mesh"), "Kind outside meshes",
			fmt.Sprintf("Resources of kind %s do not belong to a mesh. Remove mesh.", k.Name))
	}
	return []def.Kind{k}
}

// ofKind lists the resources of a kind; only the mesh itself for kind Mesh if one is
// given.
func (m *resourcesArguments) ofKind(ctx context.Context, s *store.Store, k def.Kind) ([]kuma.Resource, error) {
	mesh := m.Mesh.ValueString()
	switch {
	case k.Contains && mesh != "":
		r, err := s.Resources(k).Get(ctx, kuma.Key{Type: k.Name, Name: mesh})
		return []kuma.Resource{r}, err
	case k.Scope == def.Global:
		return s.List(ctx, k, "")
	default:
		return s.List(ctx, k, mesh)
	}
}

// namePattern validates a name pattern.
var namePattern = tfschema.StringValidator{Wants: "a name pattern", Wrong: func(text string) (string, string) {
	if _, err := path.Match(text, ""); err == nil {
		return "", ""
	}
	return "Invalid pattern", fmt.Sprintf("%q is not a valid pattern. Close every bracket, as in \"web-[0-9]*\".", text)
}}

// filterValidators are those of the arguments of lists, and of data sources that list.
var filterValidators = tfschema.Validators{
	"name_pattern": namePattern, "origin": tfschema.OneOf(kuma.OriginGlobal, kuma.OriginZone), "kuma_version": tfschema.OneOf("3.0"),
}

// filterModel contains the arguments that select resources.
type filterModel struct {
	NamePattern types.String `tfsdk:"name_pattern"`
	Labels      types.Map    `tfsdk:"labels"`
	Origin      types.String `tfsdk:"origin"`
	Unmanaged   types.Bool   `tfsdk:"unmanaged"`
}

// filter returns the filter of the arguments for a control plane.
func (m filterModel) filter(ctx context.Context, s *store.Store, diags *diag.Diagnostics) *resourceFilter {
	f := &resourceFilter{
		store: s, pattern: cmp.Or(m.NamePattern.ValueString(), "*"), origin: m.Origin.ValueString(),
		owners: map[kuma.Key][]kuma.Resource{},
	}
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
