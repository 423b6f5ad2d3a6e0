package controlplane

import (
	"context"
	"errors"
	"net/http"
)

// Outcome is what a successful [Client.Put] did.
type Outcome int

// Outcomes.
const (
	Created Outcome = iota
	Updated
	// EarlierAttempt is that of a write that was repeated, because an attempt
	// seemed to fail, and of which it is not known which attempt stored it.
	EarlierAttempt
)

// WriteOption changes how [Client.Put] and [Client.Delete] write.
type WriteOption func(*writeOptions)

type writeOptions struct {
	onlyCreate  bool
	beforeRetry func(context.Context) error
}

// OnlyCreate makes a write fail with an [ExistsError] where there is such a
// resource already. The embedded control plane decides that itself. Control
// planes of Kuma ignore the condition: look before, and see whether the write
// says that it created the resource.
func OnlyCreate(o *writeOptions) { o.onlyCreate = true }

// BeforeRetry calls check before each attempt but the first, minutes after it
// perhaps, so that a repeated write does not undo what others did meanwhile. The
// write is repeated when check returns nil, is taken for done when it returns
// [ErrDone], and fails with any other error.
func BeforeRetry(check func(context.Context) error) WriteOption {
	return func(o *writeOptions) { o.beforeRetry = check }
}

// ErrDone says that an attempt that seemed to fail did what it should.
var ErrDone = errors.New("an earlier attempt was successful")

type writeOptionsKey struct{}

// attach returns a context that carries the options to the attempts.
func (o writeOptions) attach(ctx context.Context) context.Context {
	return context.WithValue(ctx, writeOptionsKey{}, o)
}

// addCondition adds the condition of [OnlyCreate] to the request of a write.
func addCondition(r *http.Request) {
	if o, _ := r.Context().Value(writeOptionsKey{}).(writeOptions); o.onlyCreate {
		r.Header.Set("If-None-Match", "*")
	}
}

// prepareRetry is called before a request is repeated.
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

// beforeRetryError is an error of [BeforeRetry], which is returned as it is.
type beforeRetryError struct{ error }
