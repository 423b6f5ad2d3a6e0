package main

import "golang.org/x/sync/errgroup"

// workers is the number of concurrent requests.
const workers = 8

// parallel calls f with each element, several at a time, and returns the first error.
func parallel[T any](list []T, f func(T) error) error {
	var g errgroup.Group
	g.SetLimit(workers)
	for _, e := range list {
		g.Go(func() error { return f(e) })
	}
	return g.Wait()
}
