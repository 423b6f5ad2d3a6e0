package main

import "sync"

// workers is the number of concurrent requests.
const workers = 8

// parallel calls f with each element, several at a time, and returns one of the
// errors.
func parallel[T any](list []T, f func(T) error) error {
	var mu sync.Mutex
	var failed error
	todo := make(chan T)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for e := range todo {
				if err := f(e); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}
	for _, e := range list {
		todo <- e
	}
	close(todo)
	wg.Wait()
	return failed
}
