package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// remote is one kind on one control plane: what a resource does there, with
// everything that goes wrong in the diagnostics.
type remote struct {
	kind spec.Kind
	cp   *connection
}

// connect tells which control plane it is.
func (r *remote) connect(providerData any) {
	cp, ok := providerData.(*connection)
	if !ok {
		return // validating: the provider is not configured
	}
	r.cp = cp
	if k, ok := cp.find(r.kind.Name); ok {
		r.kind = k
	}
}

// get returns what is stored; false when there is nothing, or an error.
func (r remote) get(ctx context.Context, key mesh.Key, diags *diag.Diagnostics) (mesh.Resource, bool) {
	if !r.cp.ready(diags) {
		return mesh.Resource{}, false
	}
	stored, err := r.cp.client.Get(ctx, r.kind, key.Mesh, key.Name)
	var notFound *controlplane.NotFoundError
	switch {
	case errors.As(err, &notFound):
		return mesh.Resource{}, false
	case err != nil:
		reportFailure(diags, r.kind, "Cannot read the resource", err)
		return mesh.Resource{}, false
	}
	return stored, true
}

// exists reports a resource that the control plane has already: to create it
// would silently replace it. It is true as well when nobody knows.
func (r remote) exists(ctx context.Context, key mesh.Key, at path.Path, typeName, importID string, diags *diag.Diagnostics) bool {
	if _, ok := r.get(ctx, key, diags); !ok {
		return diags.HasError()
	}
	diags.AddAttributeError(at, "The resource exists already",
		fmt.Sprintf("The control plane has %s, and creating it would overwrite it. To manage it here, import it: terraform import %s.<name> %s. Otherwise choose another name.", key, typeName, importID))
	return true
}

// replace writes a resource that is there, without taking away what the control
// plane wrote into it, and returns what was stored. The kept members stay as
// they are stored.
func (r remote) replace(ctx context.Context, res mesh.Resource, kept []string, diags *diag.Diagnostics) (mesh.Resource, bool) {
	current, ok := r.get(ctx, res.Key(), diags)
	if diags.HasError() {
		return mesh.Resource{}, false
	}
	if ok {
		r.kind.KeepServerOwned(&res, current)
		for _, name := range kept {
			res.Body[name] = current.Body[name]
		}
	}
	return r.put(ctx, res, diags)
}

// put writes a resource and returns what was stored.
func (r remote) put(ctx context.Context, res mesh.Resource, diags *diag.Diagnostics) (mesh.Resource, bool) {
	if !r.cp.ready(diags) {
		return mesh.Resource{}, false
	}
	if r.cp.about.Federated && !r.kind.Flat {
		res.Labels = withDefault(res.Labels, mesh.LabelOrigin, mesh.OriginZone)
	}
	defer r.cp.stored.forget()
	_, warnings, err := r.cp.client.Put(ctx, r.kind, res)
	if err != nil {
		reportFailure(diags, r.kind, "Cannot write the resource", err)
		return mesh.Resource{}, false
	}
	r.warn(ctx, res, warnings, diags)
	stored, err := r.cp.client.Get(ctx, r.kind, res.Mesh, res.Name)
	if err != nil {
		diags.AddWarning("The resource cannot be read back", "It was written. "+sentence(err))
		res.Labels = r.kind.Labels(res, r.cp.about)
		return res, true
	}
	return stored, true
}

// warn passes on what the control plane warns about, unless validation warned
// already: the same in other words helps nobody.
func (r remote) warn(ctx context.Context, res mesh.Resource, warnings []string, diags *diag.Diagnostics) {
	problems := r.kind.Validate(res.Document())
	known := len(problems) > len(spec.Errors(problems))
	for _, w := range warnings {
		tflog.Warn(ctx, "warning of the control plane: "+w, map[string]any{"kind": res.Type, "mesh": res.Mesh, "name": res.Name})
		if !known {
			diags.AddWarning("The control plane warns about "+res.Type, w)
		}
	}
}

// delete deletes a resource; one that is gone already is fine.
func (r remote) delete(ctx context.Context, key mesh.Key, diags *diag.Diagnostics) {
	if !r.cp.ready(diags) {
		return
	}
	defer r.cp.stored.forget()
	var notFound *controlplane.NotFoundError
	if err := r.cp.client.Delete(ctx, r.kind, key.Mesh, key.Name); err != nil && !errors.As(err, &notFound) {
		reportFailure(diags, r.kind, "Cannot delete the resource", err)
	}
}

func withDefault(labels map[string]string, key, value string) map[string]string {
	if _, ok := labels[key]; ok {
		return labels
	}
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	return labels
}
