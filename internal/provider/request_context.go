package provider

import (
	"context"
	"sync/atomic"
)

// requestContext is a context that does not keep that of the request which it
// belongs to. The framework (1.19) keeps the contexts that it gets until it is
// stopped, and to the context of a request belong its loggers: with a thousand
// resources they take more memory than everything else.
type requestContext struct {
	context.Context
	request atomic.Pointer[context.Context] // nil after the request
}

// withRequest returns a context that has the values of ctx and ends with it, or
// when it is released, which has to happen at the end of the request.
func withRequest(ctx context.Context) (_ context.Context, release func()) {
	own, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, cancel)
	r := &requestContext{Context: own}
	r.request.Store(&ctx)
	return r, func() {
		stop()
		cancel()
		r.request.Store(nil)
	}
}

// Value implements [context.Context].
func (r *requestContext) Value(key any) any {
	if v := r.Context.Value(key); v != nil {
		return v
	}
	if request := r.request.Load(); request != nil {
		return (*request).Value(key)
	}
	return nil
}
