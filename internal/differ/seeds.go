package main

import (
	"context"
	"fmt"
	"sync"
)

// workers is the number of worlds that are compared at a time.
const workers = 4

// forEachSeed calls compare with every seed of the settings, several at a time, and
// returns the first error, which ends the work.
func forEachSeed(ctx context.Context, s settings, compare func(ctx context.Context, seed uint64) error) error {
	seeds := make(chan uint64)
	failed := make(chan error, workers)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for seed := range seeds {
				if err := compare(ctx, seed); err != nil {
					failed <- fmt.Errorf("seed %d: %w", seed, err)
					cancel(err)
					return
				}
			}
		})
	}
	for i := range s.worlds {
		select {
		case seeds <- s.seed + uint64(i):
		case <-ctx.Done():
		}
	}
	close(seeds)
	wg.Wait()
	close(failed)
	return <-failed
}
