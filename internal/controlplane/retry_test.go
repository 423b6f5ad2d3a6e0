package controlplane_test

import (
	stdcmp "cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestRetriesEndWithTheContext(t *testing.T) {
	t.Parallel()
	endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := client(t, controlplane.Config{Endpoint: endpoint, MaxRetries: 1000}).Kinds(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Kinds() = %v, want the error of the context", err)
	}
}

// responder is a network that responds immediately, for tests with a fake
// clock.
type responder func(*http.Request) (*http.Response, error)

func (f responder) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func response(r *http.Request, status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}
}

// TestWaits checks that the client backs off exponentially with jitter, or waits as
// long as the server asks for.
func TestWaits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header   http.Header
		attempts int
		shortest []time.Duration // before each retry
		longest  []time.Duration
	}{
		"by itself": {
			attempts: 7,
			shortest: []time.Duration{1875e5, 375e6, 750e6, 15e8, 3e9, 375e7},
			longest:  []time.Duration{250e6, 500e6, 1e9, 2e9, 4e9, 5e9},
		},
		"retry after seconds":   {http.Header{"Retry-After": {"7"}}, 3, []time.Duration{7e9, 7e9}, []time.Duration{725e7, 725e7}},
		"retry after nonsense":  {http.Header{"Retry-After": {"soon"}}, 2, []time.Duration{1875e5}, []time.Duration{250e6}},
		"retry after too long":  {http.Header{"Retry-After": {"3600"}}, 1, nil, nil},
		"retry after long gone": {http.Header{"Retry-After": {"Fri, 01 Jan 1999 00:00:00 GMT"}}, 2, []time.Duration{0}, []time.Duration{250e6}},
		"retry after a date":    {http.Header{"Retry-After": {"Sat, 01 Jan 2000 00:00:30 GMT"}}, 2, []time.Duration{30e9}, []time.Duration{3025e7}}, // the clock begins in 2000
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				network := responder(func(r *http.Request) (*http.Response, error) {
					at = append(at, time.Now())
					return response(r, http.StatusServiceUnavailable, test.header, "later"), nil
				})
				retries := stdcmp.Or(len(test.shortest), 3) // three, to see that retries end
				_, err := client(t, controlplane.Config{Endpoint: "http://cp", Transport: network, MaxRetries: retries}).Kinds(t.Context())
				var failed *controlplane.ServerError
				if !errors.As(err, &failed) || failed.Attempts != test.attempts || len(at) != test.attempts {
					t.Fatalf("Kinds() = %v after %d attempts, want a ServerError after %d", err, len(at), test.attempts)
				}
				for i := range test.shortest {
					if wait := at[i+1].Sub(at[i]); wait < test.shortest[i] || wait > test.longest[i] {
						t.Errorf("wait before retry %d: %s, want %s to %s", i+1, wait, test.shortest[i], test.longest[i])
					}
				}
			})
		})
	}
}

func TestWaitsAreUneven(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		waits := map[time.Duration]bool{}
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				start := time.Now()
				network := responder(func(r *http.Request) (*http.Response, error) {
					return response(r, http.StatusServiceUnavailable, nil, ""), nil
				})
				_, _ = client(t, controlplane.Config{Endpoint: "http://cp", Transport: network, MaxRetries: 1}).Kinds(t.Context())
				mu.Lock()
				defer mu.Unlock()
				waits[time.Since(start)] = true
			})
		}
		group.Wait()
		if len(waits) < 40 {
			t.Errorf("50 clients came back at %d moments, want nearly 50", len(waits))
		}
	})
}

func TestLongRetryAfterIsTold(t *testing.T) {
	t.Parallel()
	endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := client(t, controlplane.Config{Endpoint: endpoint}).Kinds(t.Context())
	if err == nil || !strings.Contains(err.Error(), "retry after 1h0m0s") {
		t.Errorf("Kinds() = %v, want an error that tells how long to wait", err)
	}
}

// TestConflictsAreNotRepeated checks that a conflict is not retried, which would
// lose what the other client stored.
func TestConflictsAreNotRepeated(t *testing.T) {
	t.Parallel()
	var attempts atomic.Int32
	endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		attempts.Add(1)
		answer(w, http.StatusConflict, stdError(409, "Conflict"))
	})
	_, _, err := client(t, controlplane.Config{Endpoint: endpoint}).Put(t.Context(), kinds.MeshTimeout, testworld.Resource(t, webTimeout))
	var conflict *controlplane.ConflictError
	if !errors.As(err, &conflict) || attempts.Load() != 1 {
		t.Errorf("Put() = %v after %d attempts, want a ConflictError after 1", err, attempts.Load())
	}
}

// TestUnknownOutcome checks that a failed write says whether it may have been applied.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	reset := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	status := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { answer(w, status, stdError(status, "Failed")) }
	}
	for name, test := range map[string]struct {
		answers []http.HandlerFunc // one per attempt, the last one repeatedly; none for a closed port
		unknown bool
	}{
		"refused connection": {nil, false},
		"reset":              {[]http.HandlerFunc{reset}, true},
		"cut off": {[]http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			answer(w, 200, "{")
		}}, true},
		"too big":                      {[]http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, strings.Repeat(" ", 2000)) }}, true},
		"success that is a login page": {[]http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "<html>") }}, true},
		"500":                          {[]http.HandlerFunc{status(500)}, true},
		"429":                          {[]http.HandlerFunc{status(429)}, false},
		"401":                          {[]http.HandlerFunc{status(401)}, false},
		"400":                          {[]http.HandlerFunc{status(400)}, false},
		"409":                          {[]http.HandlerFunc{status(409)}, false},
		"404":                          {[]http.HandlerFunc{status(404)}, false},
		"redirect elsewhere": {[]http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other/", http.StatusTemporaryRedirect)
		}}, false},
		"reset, then 401": {[]http.HandlerFunc{reset, status(401)}, true},
		"502, then 429":   {[]http.HandlerFunc{status(502), status(429)}, true},
		"reset, then 404": {[]http.HandlerFunc{reset, status(404)}, false},
		"429, then 403":   {[]http.HandlerFunc{status(429), status(403)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var attempts atomic.Int32
			endpoint := closed.URL
			if test.answers != nil {
				endpoint = serve(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					test.answers[min(int(attempts.Add(1)), len(test.answers))-1](w, r)
				})
			}
			c := client(t, controlplane.Config{Endpoint: endpoint, MaxRetries: max(1, len(test.answers)-1), MaxAnswer: 1000})
			_, _, put := c.Put(t.Context(), kinds.MeshTimeout, testworld.Resource(t, webTimeout))
			attempts.Store(0)
			del := c.Delete(t.Context(), kinds.MeshTimeout, "default", "web")
			for method, err := range map[string]error{"Put": put, "Delete": del} {
				var unknown *controlplane.UnknownOutcomeError
				if got := errors.As(err, &unknown); err == nil || got != test.unknown {
					t.Errorf("%s() = %v, unknown outcome %t, want %t", method, err, got, test.unknown)
				}
			}
		})
	}
}

// TestUnknownOutcomeOfTimeout checks that a write whose response does not arrive in time
// may have been applied.
func TestUnknownOutcomeOfTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := responder(func(r *http.Request) (*http.Response, error) {
			httptrace.ContextClientTrace(r.Context()).WroteHeaders()
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		c := client(t, controlplane.Config{Endpoint: "http://cp", Transport: silent})
		_, _, put := c.Put(t.Context(), kinds.MeshTimeout, testworld.Resource(t, webTimeout))
		for method, err := range map[string]error{"Put": put, "Delete": c.Delete(t.Context(), kinds.MeshTimeout, "default", "web")} {
			var unknown *controlplane.UnknownOutcomeError
			if !errors.As(err, &unknown) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s() = %v, want a timeout of unknown outcome", method, err)
			}
		}
	})
}

// TestInterrupted checks that the outcome of a write that is canceled is unknown.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	endpoint := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	c := client(t, controlplane.Config{Endpoint: endpoint})
	_, _, err := c.Put(ctx, kinds.MeshTimeout, testworld.Resource(t, webTimeout))
	var unknown *controlplane.UnknownOutcomeError
	var interrupted *controlplane.InterruptedError
	if !errors.As(err, &unknown) || !errors.As(err, &interrupted) || !errors.Is(err, context.Canceled) {
		t.Errorf("Put() = %v, want an interrupted write of unknown outcome", err)
	}
	err = c.Delete(ctx, kinds.MeshTimeout, "default", "web")
	if errors.As(err, &unknown) || !errors.As(err, &interrupted) {
		t.Errorf("Delete() after that = %v, want an error that nothing was sent", err)
	}
}

// TestLog checks that every attempt is logged, without token and document.
func TestLog(t *testing.T) {
	t.Parallel()
	var attempts atomic.Int32
	endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		switch attempts.Add(1) {
		case 1:
			w.WriteHeader(http.StatusBadGateway)
		case 2:
			panic(http.ErrAbortHandler)
		default:
			answer(w, http.StatusCreated, "{}")
		}
	})
	type key struct{}
	var log []controlplane.Attempt
	c := client(t, controlplane.Config{Endpoint: endpoint, Token: token, Log: func(ctx context.Context, a controlplane.Attempt) {
		if ctx.Value(key{}) != "mine" {
			t.Error("the log does not get the context of the request")
		}
		log = append(log, a)
	}})
	if _, _, err := c.Put(context.WithValue(t.Context(), key{}, "mine"), kinds.MeshTimeout, testworld.Resource(t, webTimeout)); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(log, func(a controlplane.Attempt) bool { return a.Err != nil && a.Duration > 0 }) {
		t.Errorf("log %+v: want an attempt with an error", log)
	}
	call := controlplane.Call{Method: http.MethodPut, Path: "/meshes/default/meshtimeouts/web"}
	want := []controlplane.Attempt{{Call: call, Number: 1, Status: 502}, {Call: call, Number: 2}, {Call: call, Number: 3, Status: 201}}
	for i := range log {
		log[i].Err, log[i].Duration = nil, 0
	}
	testworld.Equal(t, "log", want, log)
}

// TestEndlessAnswer checks that a response is read up to the configured size.
func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	var attempts atomic.Int32
	endpoint := serve(t, func(w http.ResponseWriter, r *http.Request) {
		attempts.Add(1)
		for r.Context().Err() == nil {
			if err := json.NewEncoder(w).Encode("more"); err != nil {
				return
			}
		}
	})
	_, err := client(t, controlplane.Config{Endpoint: endpoint, MaxAnswer: 1 << 20}).List(t.Context(), kinds.MeshTimeout, "default")
	var unexpected *controlplane.UnexpectedAnswerError
	if !errors.As(err, &unexpected) || attempts.Load() != 1 {
		t.Errorf("List() = %v after %d attempts, want an UnexpectedAnswerError after one", err, attempts.Load())
	}
}
