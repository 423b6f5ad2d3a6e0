package store

import (
	"context"
	"fmt"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// object is a resource of one of the control planes that this process talks to.
type object struct {
	controlPlane string
	key          kuma.Key
}

// writers are the objects that this process is writing, and what is closed when it is done.
// Several stores may be open on a control plane, one for each provider configuration.
var writers = struct {
	sync.Mutex
	done map[object]chan struct{}
}{done: map[object]chan struct{}{}}

// Exclusively calls do while nothing else in this process writes the resource with the key:
// what do reads is what it writes over, unless another client writes too. With its
// context, do may write the resource itself.
func Exclusively[T any](ctx context.Context, s *Store, key kuma.Key, do func(context.Context) (T, error)) (T, error) {
	o := object{s.client.Identity(), key}
	if ctx.Value(o) != nil { // the caller is the writer
		return do(ctx)
	}
	release, err := o.acquire(ctx)
	if err != nil {
		var none T
		return none, fmt.Errorf("%s was not written, because another write of it was in progress: %w", key, err)
	}
	defer release()
	return do(context.WithValue(ctx, o, true))
}

// acquire waits until nothing else in this process writes the object, or the context ends.
func (o object) acquire(ctx context.Context) (release func(), err error) {
	own := make(chan struct{})
	for {
		writers.Lock()
		other, taken := writers.done[o]
		if !taken {
			writers.done[o] = own
		}
		writers.Unlock()
		if !taken {
			break
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return func() {
		writers.Lock()
		defer writers.Unlock()
		delete(writers.done, o)
		close(own)
	}, nil
}
