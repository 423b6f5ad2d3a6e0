package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestExclusively checks which writers wait for each other, and that a waiting one can be
// interrupted.
func TestExclusively(t *testing.T) {
	t.Parallel()
	web, other := timeout("web", "1s").Key(), timeout("other", "1s").Key()
	for name, test := range map[string]struct {
		identity string // of the control plane of the second writer
		key      kuma.Key
		waits    bool
	}{
		"one resource":             {"east", web, true},
		"two resources":            {"east", other, false},
		"of another control plane": {"west", web, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func(identity string) *store.Store {
				client, err := controlplane.New(controlplane.Config{Endpoint: "http://cp", Identity: t.Name() + identity, Transport: roundTripper(describe)})
				testworld.NoError(t, err)
				s, err := store.Open(t.Context(), client, store.Options{})
				testworld.NoError(t, err)
				return s
			}
			first, second := open("east"), open(test.identity)
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				ran, interrupted := false, make(chan error, 1)
				_, err := store.Exclusively(t.Context(), first, web, func(context.Context) (int, error) {
					go func() {
						_, err := store.Exclusively(ctx, second, test.key, func(context.Context) (int, error) { ran = true; return 0, nil })
						interrupted <- err
					}()
					synctest.Wait()
					if ran == test.waits {
						t.Errorf("the second writer ran: %t", ran)
					}
					cancel()
					return 0, nil
				})
				if waiting := <-interrupted; err != nil || errors.Is(waiting, context.Canceled) != test.waits {
					t.Errorf("errors %v and %v", err, waiting)
				}
			})
		})
	}
}

// describe answers the requests with which a store is opened.
func describe(*http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	_, _ = answer.WriteString(`{"product": "Kuma", "version": "2.14.3", "mode": "zone"}`)
	return answer.Result(), nil
}

// TestConcurrentWritersLoseNothing adds a label in each of many writers at the same time,
// through two stores.
func TestConcurrentWritersLoseNothing(t *testing.T) {
	t.Parallel()
	const n = 20
	_, first := open(t, store.Options{})
	second, err := store.Open(t.Context(), first.Client(), store.Options{})
	testworld.NoError(t, err)
	stores := []*store.Store{first, second}
	web := timeout("web", "1s")
	create(t, first.Resources(kinds.MeshTimeout), web)
	var writers sync.WaitGroup
	for i := range n {
		writers.Go(func() {
			s := stores[i%len(stores)]
			_, err := store.Exclusively(t.Context(), s, web.Key(), func(ctx context.Context) (store.Written, error) {
				timeouts := s.Resources(kinds.MeshTimeout)
				stored, err := timeouts.Current(ctx, web.Key())
				if err != nil {
					return store.Written{}, err
				}
				next := stored.Clone()
				next.Labels[fmt.Sprint("writer-", i)] = "done"
				return timeouts.Replace(ctx, store.Update{Resource: next, Fingerprint: timeouts.Fingerprint(stored)})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	stored, err := first.Resources(kinds.MeshTimeout).Current(t.Context(), web.Key())
	for i := range n {
		if stored.Labels[fmt.Sprint("writer-", i)] != "done" {
			t.Errorf("the label of writer %d is lost: %v, %v", i, stored.Labels, err)
		}
	}
}
