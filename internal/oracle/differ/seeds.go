package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// workers is the number of worlds that are compared at a time.
const workers = 4

// forEachSeed calls compare with every seed of the settings, several at a time, and
// returns the first error, which ends the work.
func forEachSeed(ctx context.Context, s settings, compare func(ctx context.Context, seed uint64) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i := range s.worlds {
		seed := s.seed + uint64(i)
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := compare(ctx, seed); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
			return nil
		})
	}
	return g.Wait()
}
