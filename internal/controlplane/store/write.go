package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Written is the result of a write.
type Written struct {
	// Resource is what is stored: read back, or predicted where that is certain.
	Resource kuma.Resource
	// Warnings are the warnings of the control plane.
	Warnings []string
	// ReadBack is the error because of which Resource is what was sent and not what
	// the control plane stored; nil when it could be read.
	ReadBack error
	// New is true if the resource did not exist before.
	New bool
	// Replaced is what was stored before; the zero value for a new resource, and
	// when nothing was written.
	Replaced kuma.Resource
}

// Create writes a resource that did not exist when it was last read. If another
// client has created it since, the error is a [controlplane.ExistsError], or an
// [OverwrittenError] if that was noticed too late. A secret without a value is a
// [MissingSecretError]. With a [controlplane.UnknownOutcomeError], the result is what
// may be stored.
func (r Resources) Create(ctx context.Context, res kuma.Resource) (Written, error) {
	return Exclusively(ctx, r.store, res.Key(), func(ctx context.Context) (Written, error) { return r.create(ctx, res) })
}

func (r Resources) create(ctx context.Context, res kuma.Resource) (Written, error) {
	if r.OmitsSecret(res) {
		return Written{}, &MissingSecretError{res.Key()}
	}
	check := func(ctx context.Context) error {
		switch found, err := r.Current(ctx, res.Key()); {
		case IsNotFound(err):
			return nil
		case err != nil:
			return err
		case r.wasWritten(res, found):
			return controlplane.ErrDone
		default:
			return &controlplane.ExistsError{}
		}
	}
	var outcome controlplane.Outcome
	var written Written
	err := awaitSync(ctx, r.awaitsMesh, func() (err error) {
		outcome, written, err = r.put(ctx, res, kuma.Resource{}, controlplane.OnlyCreate, controlplane.BeforeRetry(check))
		return err
	})
	written.New = true
	if err == nil && outcome == controlplane.Updated && !r.overwrites() {
		err = &OverwrittenError{res.Key()}
	}
	return written, err
}

// Update describes a write by [Resources.Replace]: the resource, and the
// version that it replaces.
type Update struct {
	Resource kuma.Resource
	// Fingerprint of the version that the caller has read; empty for any.
	Fingerprint string
	// Keep names the fields of the document that keep their stored values.
	Keep []string
	// Recreate creates the resource if it no longer exists.
	Recreate bool
}

// Replace writes a resource over the version that the caller has read, and keeps
// what the control plane or a later release wrote into it. It writes nothing if
// the resource is up to date, and retries when another client writes at the same
// time. It fails with a [ReadError], a [SyncedError], a [ChangedError], an
// [UnknownFieldsError], or an error of the request.
func (r Resources) Replace(ctx context.Context, u Update) (Written, error) {
	return Exclusively(ctx, r.store, u.Resource.Key(), func(ctx context.Context) (Written, error) { return r.replace(ctx, u) })
}

func (r Resources) replace(ctx context.Context, u Update) (Written, error) {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		current, err := r.Current(ctx, u.Resource.Key())
		switch {
		case IsNotFound(err) && (r.overwrites() || u.Recreate):
			return r.create(ctx, u.Resource)
		case IsNotFound(err):
			return Written{}, &ChangedError{Key: u.Resource.Key(), Deleted: true}
		case err != nil:
			return Written{}, &ReadError{err}
		}
		if err := errors.Join(r.store.CheckOwned(r.kind, current), r.CheckUnchanged(current, u.Fingerprint)); err != nil {
			return Written{}, err
		}
		next, lost := r.merge(u.Resource, current)
		for _, name := range u.Keep {
			if value, ok := current.Body[name]; ok {
				next.Body[name] = value
			}
		}
		if r.UpToDate(next, current) {
			return Written{Resource: current}, nil
		}
		if len(lost) > 0 {
			return Written{}, &UnknownFieldsError{Key: u.Resource.Key(), Paths: lost}
		}
		done := func(found kuma.Resource) bool { return r.UpToDate(next, found) }
		_, written, err := r.put(ctx, next, current,
			controlplane.OnlyUnchanged(current.ModificationTime), controlplane.BeforeRetry(r.checkBeforeRetry(current, done)))
		var conflict *controlplane.ConflictError
		if errors.As(err, &conflict) && attempt < attempts && waitForRetry(ctx, attempt) {
			continue
		}
		written.Replaced = current
		return written, err
	}
}

// put writes a resource over the version before, the zero value for none, and returns the
// outcome and what is stored then. It resolves unknown outcomes by reading, and verifies
// that a write that the control plane acknowledged was carried out.
func (r Resources) put(ctx context.Context, res, before kuma.Resource, options ...controlplane.WriteOption) (controlplane.Outcome, Written,
	error,
) {
	if r.store.ControlPlane.Federated && !r.kind.Proto() {
		labels := map[string]string{kuma.LabelOrigin: kuma.OriginZone}
		maps.Copy(labels, res.Labels)
		res.Labels = labels
	}
	if Described(r.kind) && !r.store.ControlPlane.Release.Has(kuma.CompletesSince) {
		res = res.Clone()
		r.kind.FillDefaults(res)
		res.Labels = r.kind.Labels(res, r.store.ControlPlane)
	}
	ctx, cancel := withGracePeriod(ctx)
	defer cancel()
	defer r.store.lists.forget(r.kind, res.Key())
	outcome, warnings, err := r.store.client.Put(ctx, r.kind, res, options...)
	resolved, err := r.resolveOutcome(ctx, res.Key(), err,
		func(stored kuma.Resource, exists bool) bool { return exists && r.wasWritten(res, stored) })
	if resolved {
		outcome = controlplane.EarlierAttempt
	}
	written := Written{Resource: res, Warnings: warnings}
	if err != nil || r.predictable() {
		written.Resource.Labels = r.kind.Labels(res, r.store.ControlPlane)
	}
	if err != nil {
		return outcome, written, err
	}
	var stored kuma.Resource
	carriedOut, errRead := r.wasApplied(ctx, res.Key(), func(found kuma.Resource, exists bool) bool {
		stored = found
		if before.Name == "" || !exists { // another client may have deleted it
			return exists || before.Name != ""
		}
		return !found.ModificationTime.Equal(before.ModificationTime) || r.wasWritten(res, found)
	})
	switch {
	case errRead != nil:
		written.ReadBack = errRead
	case !carriedOut:
		return outcome, written, &controlplane.UnknownOutcomeError{Err: &NotCarriedOutError{Key: res.Key()}} // a replica may be late
	case stored.Name != "" && !r.predictable():
		written.Resource = stored
	}
	return outcome, written, nil
}

// predictable reports whether the stored form of a resource is known before it is
// written. It is not for secrets, whose fingerprint is a time.
func (r Resources) predictable() bool { return Described(r.kind) && len(r.kind.SecretFields()) == 0 }

// Delete deletes the version of a resource that the caller has read, and returns
// it: the zero value if it did not exist. It fails with a [ReadError], a
// [SyncedError], a [ChangedError], a [NotCarriedOutError], an [OrphanedError], or an error of
// the request.
func (r Resources) Delete(ctx context.Context, key kuma.Key, fingerprint string) (kuma.Resource, error) {
	return Exclusively(ctx, r.store, key, func(ctx context.Context) (kuma.Resource, error) {
		current, err := r.Deletable(ctx, key, fingerprint)
		if err != nil || current.Name == "" {
			return kuma.Resource{}, err
		}
		return current, r.deleteCurrent(ctx, current)
	})
}

// Deletable returns the version of a resource that [Resources.Delete] would delete, or
// its error, without deleting anything.
func (r Resources) Deletable(ctx context.Context, key kuma.Key, fingerprint string) (kuma.Resource, error) {
	current, err := r.Current(ctx, key)
	switch {
	case IsNotFound(err):
		return kuma.Resource{}, r.checkOrphaned(ctx, key, err)
	case err != nil:
		return kuma.Resource{}, &ReadError{err}
	}
	return current, errors.Join(r.store.CheckOwned(r.kind, current), r.CheckUnchanged(current, fingerprint))
}

func (r Resources) deleteCurrent(ctx context.Context, current kuma.Resource) error {
	key := current.Key()
	ctx, cancel := withGracePeriod(ctx)
	defer cancel()
	defer r.store.lists.forget(r.kind, key)
	check := r.checkBeforeRetry(current, func(kuma.Resource) bool { return false })
	beforeRetry := controlplane.BeforeRetry(func(ctx context.Context) error {
		err := check(ctx)
		if changed, ok := errors.AsType[*ChangedError](err); ok && changed.Deleted {
			return controlplane.ErrDone
		}
		return err
	})
	err := awaitSync(ctx, r.awaitsDataplanes, func() error {
		return r.store.client.Delete(ctx, r.kind, key.Mesh, key.Name, controlplane.OnlyUnchanged(current.ModificationTime), beforeRetry)
	})
	if err == nil {
		return r.verifyDeletion(ctx, current)
	}
	_, err = r.resolveOutcome(ctx, key, err, func(_ kuma.Resource, exists bool) bool { return !exists })
	if IsNotFound(err) {
		return r.checkOrphaned(ctx, key, err)
	}
	return err
}

// checkOrphaned returns an [OrphanedError] if a resource that was not found still exists in
// a deleted mesh. Only a list over all meshes has it.
func (r Resources) checkOrphaned(ctx context.Context, key kuma.Key, notFound error) error {
	if missing, _ := errors.AsType[*controlplane.NotFoundError](notFound); !missing.Mesh {
		return nil
	}
	stored, err := r.store.List(ctx, r.kind, "")
	if err != nil {
		return &ReadError{err}
	}
	if slices.ContainsFunc(stored, func(other kuma.Resource) bool { return other.Key() == key }) {
		return &OrphanedError{key}
	}
	return nil
}

// verifyDeletion checks that a deletion that the control plane acknowledged was carried
// out: what is then no longer in the state would never be deleted. Another client, or a
// generator of the control plane, may have created the resource again.
func (r Resources) verifyDeletion(ctx context.Context, deleted kuma.Resource) error {
	done, err := r.wasApplied(ctx, deleted.Key(), func(stored kuma.Resource, exists bool) bool {
		return !exists || !stored.CreationTime.Equal(deleted.CreationTime)
	})
	switch {
	case err != nil:
		return &controlplane.UnknownOutcomeError{Err: err}
	case !done:
		return &NotCarriedOutError{deleted.Key(), true}
	default:
		return nil
	}
}
