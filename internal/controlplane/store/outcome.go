package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// withGracePeriod returns a context for a change in progress: after ctx is
// canceled, the change may continue for a while, so that its outcome is known.
func withGracePeriod(ctx context.Context) (context.Context, context.CancelFunc) {
	const gracePeriod = 10 * time.Second
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(gracePeriod, cancel) })
	return out, func() { stop(); cancel() }
}

// resolveOutcome reads the resource to find out whether a change that failed with
// an [controlplane.UnknownOutcomeError] was applied; it returns other errors
// unchanged. The outcome stays unknown if reading fails too.
func (r Resources) resolveOutcome(ctx context.Context, key kuma.Key, err error,
	done func(stored kuma.Resource, exists bool) bool,
) (resolved bool, _ error) {
	var unknown *controlplane.UnknownOutcomeError
	if !errors.As(err, &unknown) {
		return false, err
	}
	switch applied, err := r.wasApplied(ctx, key, done); {
	case err != nil:
		return true, unknown
	case applied:
		r.store.log(ctx, key, "a change that seemed to fail was applied")
		return true, nil
	default:
		return true, unknown.Err
	}
}

// wasApplied reads the resource to find out whether a change was applied, which done
// decides by what is stored, if anything. It has its own timeout, because that of the
// caller may be over.
func (r Resources) wasApplied(ctx context.Context, key kuma.Key, done func(stored kuma.Resource, exists bool) bool) (bool, error) {
	const timeout, interval, reads = 30 * time.Second, time.Second, 2
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	for i := range reads { // the control plane may still be processing it
		if i > 0 {
			time.Sleep(interval)
		}
		stored, err := r.Current(ctx, key)
		switch {
		case err != nil && !IsNotFound(err):
			return false, err
		case done(stored, err == nil):
			return true, nil
		}
	}
	return false, nil
}

// awaitSync repeats a change that the control plane rejects until it has learnt from other control planes what the change
// requires, seconds after they stored it. It returns the last error.
func awaitSync(ctx context.Context, isLate func(error) bool, change func() error) error {
	const limit, interval = 20 * time.Second, 500 * time.Millisecond
	for begin := time.Now(); ; {
		err := change()
		if err == nil || !isLate(err) || time.Since(begin) > limit {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(interval):
		}
	}
}

// awaitsMesh reports whether the control plane of a zone may get the missing mesh of a resource from the global one.
func (r Resources) awaitsMesh(err error) bool {
	missing, ok := errors.AsType[*controlplane.NotFoundError](err)
	return ok && missing.Mesh && r.store.ControlPlane.Federated
}

// awaitsDataplanes reports whether a global control plane may learn from its zones that a mesh has no Dataplanes any more.
func (r Resources) awaitsDataplanes(err error) bool {
	_, rejected := errors.AsType[*controlplane.InvalidError](err)
	return rejected && r.kind.Contains && r.store.ControlPlane.Mode == kuma.ModeGlobal
}

// checkBeforeRetry returns the check before a change of a resource is retried: the
// change is retried while the resource is unchanged, and done when it was applied.
func (r Resources) checkBeforeRetry(first kuma.Resource, done func(found kuma.Resource) bool) func(context.Context) error {
	return func(ctx context.Context) error {
		found, err := r.Current(ctx, first.Key())
		switch {
		case IsNotFound(err) && r.overwrites():
			return nil
		case IsNotFound(err):
			return &ChangedError{Key: first.Key(), Deleted: true}
		case err != nil:
			return err
		case done(found):
			return controlplane.ErrDone
		default:
			return r.CheckUnchanged(found, r.Fingerprint(first))
		}
	}
}

// waitForRetry waits for a short random time, to separate concurrent writers; false
// when the context ends first.
func waitForRetry(ctx context.Context, attempt int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(20+rand.IntN(80*attempt)) * time.Millisecond):
		return true
	}
}
