package oracle_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

func TestUntil(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		until := func(done func(context.Context) (bool, error)) error {
			calls = 0
			return oracle.Until(t.Context(), time.Minute, time.Second, "the mesh", func(ctx context.Context) (bool, error) {
				calls++
				return done(ctx)
			})
		}
		if err := until(func(context.Context) (bool, error) { return calls == 3, nil }); err != nil || calls != 3 {
			t.Errorf("done at last: %d calls, %v", calls, err)
		}
		broken := errors.New("broken")
		if err := until(func(context.Context) (bool, error) { return false, broken }); !errors.Is(err, broken) || calls != 1 {
			t.Errorf("an error: %d calls, %v", calls, err)
		}
		hangs := func(ctx context.Context) (bool, error) { <-ctx.Done(); return false, ctx.Err() }
		for name, never := range map[string]func(context.Context) (bool, error){"hangs": hangs, "never": func(context.Context) (bool, error) { return false, nil }} {
			if err := until(never); err == nil || !strings.Contains(err.Error(), "the mesh is missing after 1m0s") {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}

func TestSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		readings := []string{"", "a", "a", "b", "b", "b", "c"}
		n := 0
		got, err := oracle.Settled(t.Context(), time.Second, 2, func(context.Context) (int, string, error) {
			n++
			return n, readings[n-1], nil
		})
		if err != nil || got != 6 {
			t.Errorf("settled at reading %d, %v, want 6", got, err)
		}
		_, err = oracle.Settled(t.Context(), time.Second, 1, func(context.Context) (int, string, error) {
			n++
			return n, time.Now().String(), nil
		})
		if err == nil || !strings.Contains(err.Error(), "a settled state is missing") {
			t.Errorf("readings that always differ: %v", err)
		}
	})
}
