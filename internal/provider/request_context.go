package provider

import (
	"context"
	"sync/atomic"
)

// requestContext is a context that does not retain that of its request. The framework
// (1.19) retains the contexts that it gets until it is stopped, and the context of a
// request references its loggers: with a thousand resources they take more memory than
// everything else.
type requestContext struct {
	context.Context
	request atomic.Pointer[context.Context] // nil after the request
}

// withRequest returns a context with the values of ctx that ends with it or when it is
// released, which must happen at the end of the request.
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
