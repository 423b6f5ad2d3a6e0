package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

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

// get returns what is stored, as it was when it was first asked for; false when
// there is nothing, or an error. Plans are made of it.
func (r remote) get(ctx context.Context, key mesh.Key, diags *diag.Diagnostics) (mesh.Resource, bool) {
	if !r.cp.ready(diags) {
		return mesh.Resource{}, false
	}
	stored, err := r.cp.stored.get(ctx, r.cp.client, r.kind, key)
	return stored, r.found(err, diags)
}

// refresh is [remote.get] for a resource that was there. Lists that are read
// while others delete may skip some, so what is missing in one is asked for.
func (r remote) refresh(ctx context.Context, key mesh.Key, diags *diag.Diagnostics) (mesh.Resource, bool) {
	stored, ok := r.get(ctx, key, diags)
	if ok || diags.HasError() {
		return stored, ok
	}
	return r.current(ctx, key, diags)
}

// current returns what is stored now. Writes are decided by it.
func (r remote) current(ctx context.Context, key mesh.Key, diags *diag.Diagnostics) (mesh.Resource, bool) {
	if !r.cp.ready(diags) {
		return mesh.Resource{}, false
	}
	stored, err := r.cp.client.Get(ctx, r.kind, key.Mesh, key.Name)
	return stored, r.found(err, diags)
}

// found tells a resource that is not there from one that cannot be read.
func (r remote) found(err error, diags *diag.Diagnostics) bool {
	var notFound *controlplane.NotFoundError
	if err != nil && !errors.As(err, &notFound) {
		reportFailure(diags, r.kind, "Cannot read the resource", err)
	}
	return err == nil
}

// reader is [remote.get] or [remote.current].
type reader func(context.Context, mesh.Key, *diag.Diagnostics) (mesh.Resource, bool)

// exists reports a resource that the control plane has already: to create it
// would silently replace it. It is true as well when nobody knows.
func (r remote) exists(ctx context.Context, read reader, key mesh.Key, at path.Path, typeName, importID string, diags *diag.Diagnostics) bool {
	if _, ok := read(ctx, key, diags); !ok {
		return diags.HasError()
	}
	diags.AddAttributeError(at, "The resource exists already",
		fmt.Sprintf("The control plane has %s, and creating it would overwrite it. To manage it here, import it: terraform import %s.<name> %s. Otherwise choose another name.", key, typeName, importID))
	return true
}

// replace writes a resource over the one that the plan has seen, without taking
// away what the control plane wrote into it, and returns what is stored then.
// The kept members stay as they are stored.
func (r remote) replace(ctx context.Context, res mesh.Resource, seen string, kept []string, diags *diag.Diagnostics) (mesh.Resource, bool) {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		next := res.Clone()
		current, ok := r.current(ctx, res.Key(), diags)
		switch {
		case diags.HasError(), ok && !r.unchanged(current, seen, diags):
			return mesh.Resource{}, false
		case ok:
			r.kind.KeepServerOwned(&next, current)
			for _, name := range kept {
				next.Body[name] = current.Body[name]
			}
		}
		stored, err := r.write(ctx, next, diags)
		var conflict *controlplane.ConflictError
		if errors.As(err, &conflict) && attempt < attempts && pause(ctx, attempt) {
			continue
		}
		if err != nil {
			reportFailure(diags, r.kind, "Cannot write the resource", err)
		}
		return stored, err == nil
	}
}

// pause waits a little, and unevenly, so that writers come apart; false when
// there is no time left.
func pause(ctx context.Context, attempt int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(20+rand.IntN(80*attempt)) * time.Millisecond):
		return true
	}
}

// put writes a resource that is not there, and returns what is stored then. It
// is true as well when nobody knows whether it was written: what may be there
// belongs into the state.
func (r remote) put(ctx context.Context, res mesh.Resource, diags *diag.Diagnostics) (mesh.Resource, bool) {
	stored, err := r.write(ctx, res, diags)
	if err != nil {
		reportFailure(diags, r.kind, "Cannot write the resource", err)
	}
	var unknown *controlplane.UnknownOutcomeError
	return stored, err == nil || errors.As(err, &unknown)
}

// write writes a resource and returns what is stored then. An error of unknown
// outcome is left only when nobody can be asked.
func (r remote) write(ctx context.Context, res mesh.Resource, diags *diag.Diagnostics) (mesh.Resource, error) {
	if r.cp.about.Federated && !r.kind.Flat {
		res.Labels = withDefault(res.Labels, mesh.LabelOrigin, mesh.OriginZone)
	}
	ctx, cancel := unhurried(ctx)
	defer cancel()
	defer r.cp.stored.forget(r.kind, res.Key())
	_, warnings, err := r.cp.client.Put(ctx, r.kind, res)
	var unknown *controlplane.UnknownOutcomeError
	if errors.As(err, &unknown) {
		err = r.settle(ctx, res.Key(), unknown, func(stored mesh.Resource, ok bool) bool { return ok && r.same(res, stored) })
	}
	r.warn(ctx, res, warnings, diags)
	if !described(r.kind) && err == nil {
		return r.cp.client.Get(ctx, r.kind, res.Mesh, res.Name)
	}
	res.Labels = r.kind.Labels(res, r.cp.about)
	return res, err
}

// unhurried returns a context for a change that is under way: an interrupt lets
// it finish, so that what becomes of it is known, but not for ever.
func unhurried(ctx context.Context) (context.Context, context.CancelFunc) {
	const grace = 10 * time.Second
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return out, func() { stop(); cancel() }
}

// settle finds out by reading whether a change took place, which happened tells
// from what is stored, if anything is. It has its own time, because the caller
// may have none left.
func (r remote) settle(ctx context.Context, key mesh.Key, unknown *controlplane.UnknownOutcomeError, happened func(stored mesh.Resource, ok bool) bool) error {
	const atMost, again = 30 * time.Second, time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), atMost)
	defer cancel()
	for look := range 2 { // the control plane may still be at it
		if look > 0 {
			time.Sleep(again)
		}
		stored, err := r.cp.client.Get(ctx, r.kind, key.Mesh, key.Name)
		var notFound *controlplane.NotFoundError
		switch {
		case err != nil && !errors.As(err, &notFound):
			return unknown
		case happened(stored, err == nil):
			tflog.Info(ctx, "a change that seemed to fail took place", map[string]any{"kind": key.Type, "mesh": key.Mesh, "name": key.Name})
			return nil
		}
	}
	return unknown.Err
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

// delete deletes a resource that is what the plan saw; one that is gone already
// is fine.
func (r remote) delete(ctx context.Context, key mesh.Key, seen string, diags *diag.Diagnostics) {
	current, ok := r.current(ctx, key, diags)
	if !ok || !r.unchanged(current, seen, diags) {
		return
	}
	ctx, cancel := unhurried(ctx)
	defer cancel()
	defer r.cp.stored.forget(r.kind, key)
	err := r.cp.client.Delete(ctx, r.kind, key.Mesh, key.Name)
	var unknown *controlplane.UnknownOutcomeError
	if errors.As(err, &unknown) {
		err = r.settle(ctx, key, unknown, func(_ mesh.Resource, ok bool) bool { return !ok })
	}
	var notFound *controlplane.NotFoundError
	if err != nil && !errors.As(err, &notFound) {
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
