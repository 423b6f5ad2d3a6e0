package oracle

import (
	"context"
	"fmt"
	"time"
)

// Cached is the time for which a control plane repeats an answer about a proxy.
const Cached = 1100 * time.Millisecond

// patience limits the wait for control planes, which takes seconds on an idle machine.
const patience = 10 * time.Minute

// Pause waits. The error is why ctx ended before that.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// Until calls done, with pauses, until it returns true or an error. The error says that
// what is missing if the limit is exceeded.
func Until(ctx context.Context, limit, pause time.Duration, what string, done func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s is missing after %s", what, limit))
	defer cancel()
	for {
		ok, err := done(ctx)
		switch {
		case ok && err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		}
		if err := Pause(ctx, pause); err != nil {
			return err
		}
	}
}

// Settled repeats a reading, with pauses, until it has been the same for a number of
// repetitions in a row, and returns it. Readings with the same fingerprint are the same.
func Settled[T any](ctx context.Context, pause time.Duration, repetitions int,
	read func(context.Context) (value T, fingerprint string, err error),
) (T, error) {
	var value T
	last, same := "", -1
	err := Until(ctx, patience, pause, "a settled state", func(ctx context.Context) (bool, error) {
		now, fingerprint, err := read(ctx)
		if value = now; same >= 0 && fingerprint == last {
			same++
		} else {
			last, same = fingerprint, 0
		}
		return same >= repetitions, err
	})
	return value, err
}
