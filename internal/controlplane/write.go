package controlplane

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Outcome is what a successful [Client.Put] did.
type Outcome int

// Outcomes.
const (
	Created Outcome = iota
	Updated
	// EarlierAttempt is the outcome of a write that was retried because an attempt
	// seemed to fail: it is not known which attempt stored the resource.
	EarlierAttempt
)

// WriteOption changes how [Client.Put] and [Client.Delete] write.
type WriteOption func(*writeOptions)

type writeOptions struct {
	onlyCreate  bool
	unchanged   time.Time
	beforeRetry func(context.Context) error
}

// OnlyCreate makes a write fail with an [ExistsError] if the resource already
// exists. The embedded control plane enforces that. Control
// planes of Kuma ignore the condition: read the resource first, and check whether the write
// reports that it created the resource.
func OnlyCreate(o *writeOptions) { o.onlyCreate = true }

// OnlyUnchanged makes a write fail with a [ConflictError] if the resource has been modified
// since. The embedded control plane enforces that.
func OnlyUnchanged(since time.Time) WriteOption {
	return func(o *writeOptions) { o.unchanged = since }
}

// BeforeRetry calls check before each retry, possibly minutes after the first
// attempt, so that a retried write does not undo changes by other clients. The
// write is retried when check returns nil, is considered done when it returns
// [ErrDone], and fails with any other error.
func BeforeRetry(check func(context.Context) error) WriteOption {
	return func(o *writeOptions) { o.beforeRetry = check }
}

// ErrDone reports that an attempt that seemed to fail succeeded.
var ErrDone = errors.New("an earlier attempt succeeded")

type writeOptionsKey struct{}

// attach returns a context that carries the options to the attempts.
func (o writeOptions) attach(ctx context.Context) context.Context {
	return context.WithValue(ctx, writeOptionsKey{}, o)
}

// addConditions adds those of [OnlyCreate] and [OnlyUnchanged] to the request of a write.
func (c *Client) addConditions(r *http.Request) {
	o, _ := r.Context().Value(writeOptionsKey{}).(writeOptions)
	if o.onlyCreate {
		r.Header.Set("If-None-Match", "*")
	}
	if c.inProcess && !o.unchanged.IsZero() {
		r.Header.Set("If-Match", strconv.Quote(o.unchanged.Format(time.RFC3339Nano)))
	}
}

// prepareRetry is called before a request is retried.
func prepareRetry(r *http.Request) error {
	o, _ := r.Context().Value(writeOptionsKey{}).(writeOptions)
	if o.beforeRetry == nil {
		return nil
	}
	if err := o.beforeRetry(context.WithValue(r.Context(), writeOptionsKey{}, nil)); err != nil {
		return &beforeRetryError{err}
	}
	return nil
}

// beforeRetryError is an error of [BeforeRetry], which is returned unchanged.
type beforeRetryError struct{ error }
