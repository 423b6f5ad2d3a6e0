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
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// remote is one kind on one control plane: what a resource does there, with
// everything that goes wrong in the diagnostics.
type remote struct {
	kind def.Kind
	cp   *connection
	// document says that resources are whole documents, which show the members of
	// free-form objects that the description of the kind does not have.
	document bool
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
func (r remote) get(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	if !r.cp.ready(diags) {
		return kuma.Resource{}, false
	}
	stored, err := r.cp.stored.get(ctx, r.cp.client, r.kind, key)
	return stored, r.found(err, diags)
}

// refresh is [remote.get] for a resource that was there. Lists that are read
// while others delete may skip some, so what is missing in one is asked for.
func (r remote) refresh(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	stored, ok := r.get(ctx, key, diags)
	if ok || diags.HasError() {
		return stored, ok
	}
	return r.current(ctx, key, diags)
}

// current returns what is stored now. Writes are decided by it.
func (r remote) current(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	if !r.cp.ready(diags) {
		return kuma.Resource{}, false
	}
	stored, err := r.cp.client.Get(ctx, r.kind, key.Mesh, key.Name)
	return stored, r.found(err, diags)
}

// found tells a resource that is not there from one that cannot be read.
func (r remote) found(err error, diags *diag.Diagnostics) bool {
	if err != nil && !isNotFound(err) {
		reportFailure(diags, r.kind, "Cannot read the resource", err)
	}
	return err == nil
}

// replace writes a resource over the one that the plan has seen, without taking
// away what the control plane or a later release wrote into it, and returns what
// is stored then. The kept members stay as they are stored.
func (r remote) replace(ctx context.Context, res kuma.Resource, b configBlock, seen string, kept []string, diags *diag.Diagnostics) (kuma.Resource, bool) {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		current, ok := r.current(ctx, res.Key(), diags)
		if diags.HasError() {
			return kuma.Resource{}, false
		}
		if !ok {
			if r.cp.changes == changesOverwrite || r.deletedMesh(res.Key()) {
				return r.createNew(ctx, res, b, diags)
			}
			r.reportWrite(diags, res.Key(), &changedError{key: res.Key(), deleted: true})
			return kuma.Resource{}, false
		}
		if err := r.unchanged(current, seen); err != nil {
			r.reportWrite(diags, res.Key(), err)
			return kuma.Resource{}, false
		}
		next, lost := r.completed(res, current)
		for _, name := range kept {
			if value, ok := current.Body[name]; ok {
				next.Body[name] = value
			}
		}
		if r.same(next, current) {
			return current, true // there is nothing to write
		}
		if len(lost) > 0 {
			diags.AddError("Update would remove unknown fields", lostDetail(res.Key(), lost))
			return kuma.Resource{}, false
		}
		_, stored, err := r.write(ctx, next, diags, controlplane.BeforeRetry(r.lookAgain(current, func(found kuma.Resource) bool { return r.same(next, found) })))
		var conflict *controlplane.ConflictError
		if errors.As(err, &conflict) && attempt < attempts && pause(ctx, attempt) {
			continue
		}
		r.reportWrite(diags, res.Key(), err)
		return stored, err == nil
	}
}

// deletedMesh reports whether this run deleted the mesh of a resource, and so all
// that was in it.
func (r remote) deletedMesh(key kuma.Key) bool {
	return key.Mesh != "" && r.cp.run.look(kuma.Key{Type: kuma.KindMesh, Name: key.Mesh}).deleted
}

// lookAgain returns what to do before a change of a resource is repeated: it goes
// on while the resource is what it was at first, and ends when the change took
// place.
func (r remote) lookAgain(first kuma.Resource, done func(found kuma.Resource) bool) func(context.Context) error {
	return func(ctx context.Context) error {
		found, err := r.cp.client.Get(ctx, r.kind, first.Mesh, first.Name)
		switch {
		case isNotFound(err) && r.cp.changes == changesOverwrite:
			return nil
		case isNotFound(err):
			return &changedError{key: first.Key(), deleted: true}
		case err != nil:
			return err
		case done(found):
			return controlplane.ErrDone
		default:
			return r.unchanged(found, r.fingerprint(first))
		}
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

// write writes a resource and returns what that did and what is stored then. An
// error of unknown outcome is left only where reading does not tell either.
func (r remote) write(ctx context.Context, res kuma.Resource, diags *diag.Diagnostics, options ...controlplane.WriteOption) (outcome controlplane.Outcome, stored kuma.Resource, err error) {
	if r.cp.about.Federated && !r.kind.Proto() {
		res.Labels = withDefault(res.Labels, kuma.LabelOrigin, kuma.OriginZone)
	}
	ctx, cancel := unhurried(ctx)
	defer cancel()
	defer r.cp.stored.forget(r.kind, res.Key())
	outcome, warnings, err := r.cp.client.Put(ctx, r.kind, res, options...)
	var unknown *controlplane.UnknownOutcomeError
	if errors.As(err, &unknown) {
		err = r.settle(ctx, res.Key(), unknown, func(stored kuma.Resource, ok bool) bool { return ok && r.wrote(res, stored) })
		outcome = controlplane.EarlierAttempt
	}
	r.warn(ctx, res, warnings, diags)
	if err == nil && (!described(r.kind) || tfschema.SecretNames(r.kind) != nil) {
		return outcome, r.readBack(ctx, res, diags), nil
	}
	res.Labels = r.kind.Labels(res, r.cp.about)
	return outcome, res, err
}

// readBack returns what is stored of a resource that was written, for kinds of
// which that cannot be predicted. It was written, whether it can be read or not.
func (r remote) readBack(ctx context.Context, res kuma.Resource, diags *diag.Diagnostics) kuma.Resource {
	stored, err := r.cp.client.Get(ctx, r.kind, res.Mesh, res.Name)
	if err != nil {
		diags.AddWarning("Cannot read back the resource", fmt.Sprintf("%s was written, and reading it back failed: %s The next plan reads it again.", res.Key(), phrase.Sentence(err)))
		return res
	}
	return stored
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
func (r remote) settle(ctx context.Context, key kuma.Key, unknown *controlplane.UnknownOutcomeError, happened func(stored kuma.Resource, ok bool) bool) error {
	const atMost, again = 30 * time.Second, time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), atMost)
	defer cancel()
	for look := range 2 { // the control plane may still be at it
		if look > 0 {
			time.Sleep(again)
		}
		stored, err := r.cp.client.Get(ctx, r.kind, key.Mesh, key.Name)
		switch {
		case err != nil && !isNotFound(err):
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
func (r remote) warn(ctx context.Context, res kuma.Resource, warnings []string, diags *diag.Diagnostics) {
	problems := r.kind.Validate(res.Document())
	known := len(problems) > len(def.Errors(problems))
	for _, w := range warnings {
		tflog.Warn(ctx, "warning of the control plane: "+w, map[string]any{"kind": res.Type, "mesh": res.Mesh, "name": res.Name})
		if !known {
			diags.AddWarning("The control plane warns about "+res.Type, w)
		}
	}
}

// delete deletes a resource that is what the plan saw; one that is gone already
// is fine.
func (r remote) delete(ctx context.Context, key kuma.Key, seen string, diags *diag.Diagnostics) {
	if r.cp.run.look(key).created {
		return // another resource of this run took the name, and what was there with it
	}
	current, ok := r.current(ctx, key, diags)
	if diags.HasError() {
		return
	}
	if ok {
		if err := r.unchanged(current, seen); err != nil {
			r.reportWrite(diags, key, err)
			return
		}
		if err := r.deleteNow(ctx, current); err != nil {
			reportFailure(diags, r.kind, "Cannot delete the resource", err)
			return
		}
	}
	r.cp.run.recordDeleted(key, r.secretMembers(current))
}

func (r remote) deleteNow(ctx context.Context, current kuma.Resource) error {
	key := current.Key()
	ctx, cancel := unhurried(ctx)
	defer cancel()
	defer r.cp.stored.forget(r.kind, key)
	again := r.lookAgain(current, func(kuma.Resource) bool { return false })
	err := r.cp.client.Delete(ctx, r.kind, key.Mesh, key.Name, controlplane.BeforeRetry(func(ctx context.Context) error {
		err := again(ctx)
		if changed := (*changedError)(nil); errors.As(err, &changed) && changed.deleted {
			return controlplane.ErrDone // it is gone
		}
		return err
	}))
	var unknown *controlplane.UnknownOutcomeError
	if errors.As(err, &unknown) {
		err = r.settle(ctx, key, unknown, func(_ kuma.Resource, ok bool) bool { return !ok })
	}
	if isNotFound(err) {
		return nil
	}
	return err
}

// reportWrite says why a resource could not be written; nothing without an error.
func (r remote) reportWrite(diags *diag.Diagnostics, key kuma.Key, err error) {
	var changed *changedError
	var notFound *controlplane.NotFoundError
	switch {
	case err == nil:
	case errors.As(err, &changed):
		diags.AddError("Resource changed since the plan was created", phrase.Sentence(changed))
	case errors.As(err, &notFound) && notFound.Mesh:
		diags.AddAttributeError(path.Root("mesh"), "Mesh does not exist", missingMesh(key.Mesh))
	default:
		reportFailure(diags, r.kind, "Cannot write the resource", err)
	}
}

func isNotFound(err error) bool {
	var notFound *controlplane.NotFoundError
	return errors.As(err, &notFound)
}

func isUnknownOutcome(err error) bool {
	var unknown *controlplane.UnknownOutcomeError
	return errors.As(err, &unknown)
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
