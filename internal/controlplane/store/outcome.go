package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// withGracePeriod returns a context for a change that is under way: when ctx is
// cancelled, the change may go on for a while, so that what becomes of it is known.
func withGracePeriod(ctx context.Context) (context.Context, context.CancelFunc) {
	const gracePeriod = 10 * time.Second
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(gracePeriod, cancel) })
	return out, func() { stop(); cancel() }
}

// resolveOutcome finds out by reading whether a change took place that failed with
// an [controlplane.UnknownOutcomeError]; other errors are returned as they are.
// done tells from what is stored, if anything is. The error stays of unknown
// outcome where reading fails as well. It has its own time, because the caller may
// have none left.
func (r Resources) resolveOutcome(ctx context.Context, key kuma.Key, err error, done func(stored kuma.Resource, exists bool) bool) (resolved bool, _ error) {
	const timeout, interval, reads = 30 * time.Second, time.Second, 2
	var unknown *controlplane.UnknownOutcomeError
	if !errors.As(err, &unknown) {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	for i := range reads { // the control plane may still be at it
		if i > 0 {
			time.Sleep(interval)
		}
		stored, err := r.Current(ctx, key)
		switch {
		case err != nil && !IsNotFound(err):
			return true, unknown
		case done(stored, err == nil):
			r.store.log(ctx, key, "a change that seemed to fail took place")
			return true, nil
		}
	}
	return true, unknown.Err
}

// checkBeforeRetry returns what to do before a change of a resource is repeated:
// it goes on while the resource is what it was at first, and ends when the change
// took place.
func (r Resources) checkBeforeRetry(first kuma.Resource, done func(found kuma.Resource) bool) func(context.Context) error {
	return func(ctx context.Context) error {
		found, err := r.Current(ctx, first.Key())
		switch {
		case IsNotFound(err) && r.store.options.Overwrite:
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

// waitForRetry waits a little, and unevenly, so that writers come apart; false when
// there is no time left.
func waitForRetry(ctx context.Context, attempt int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(20+rand.IntN(80*attempt)) * time.Millisecond):
		return true
	}
}
