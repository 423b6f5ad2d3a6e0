package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// Attempt is one attempt at a request, for logging. It contains no secret: neither
// headers nor bodies.
type Attempt struct {
	Call
	Number   int // 1 for the first
	Status   int // 0 when there was no response
	Duration time.Duration
	Err      error // why there was no response
}

// attempts records the attempts at one request.
type attempts struct {
	last    int         // number of the latest
	sent    atomic.Bool // the latest was sent to a server
	unknown bool        // one may have taken effect although it failed
	secrets secrets     // of the request
}

type attemptsKey struct{}

// attach returns a context that reports to t.
func (t *attempts) attach(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, attemptsKey{}, t)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { t.sent.Store(true) }})
}

// mayHaveHappened adds to the failure of a write that one of its attempts may have
// succeeded. A resource that is not found was not written.
func (r reply) mayHaveHappened(err error) error {
	var notFound *NotFoundError
	if r.attempts == nil || !r.attempts.unknown || errors.As(err, &notFound) {
		return err
	}
	return &UnknownOutcomeError{err}
}

// bufferedTransport reads responses to their end before it returns them: one that is
// cut off is then a failed attempt like any other, and is retried.
type bufferedTransport struct {
	transport http.RoundTripper
	log       func(context.Context, Attempt)
	longest   int64
}

// RoundTrip implements [http.RoundTripper].
func (b bufferedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t, _ := r.Context().Value(attemptsKey{}).(*attempts)
	t.sent.Store(false)
	start := time.Now()
	answer, err := b.answer(r)
	a := Attempt{Call: Call{Method: r.Method, Path: r.URL.Path}, Number: t.last, Duration: time.Since(start), Err: t.secrets.maskError(err)}
	if err == nil {
		a.Status = answer.StatusCode
	}
	if err != nil && t.sent.Load() || a.Status >= http.StatusInternalServerError {
		t.unknown = true
	}
	if b.log != nil {
		b.log(r.Context(), a)
	}
	return answer, err
}

func (b bufferedTransport) answer(r *http.Request) (*http.Response, error) {
	answer, err := b.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, b.longest+1))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, fmt.Errorf("the response was cut off: %w", err)
	}
	if int64(len(data)) > b.longest {
		return nil, &refusedAnswerError{fmt.Sprintf("the response is larger than %d bytes. Check that the endpoint is a control plane",
			b.longest)}
	}
	answer.Body = io.NopCloser(bytes.NewReader(data))
	return answer, nil
}

// checkRedirect follows a redirect only where that is safe: the token and
// the other headers stay with the configured server, and a write stays a write.
func checkRedirect(r *http.Request, via []*http.Request) error {
	const most = 5
	from := via[0]
	switch {
	case r.URL.Host != from.URL.Host, r.URL.Scheme != from.URL.Scheme:
		return &refusedAnswerError{"the server redirects to " + r.URL.Scheme + "://" + r.URL.Host +
			". If that is the control plane, set it as the endpoint"}
	case r.Method != from.Method:
		return &refusedAnswerError{"the server redirects to " + r.URL.Path + ", which would turn the write into a read. Check the endpoint"}
	case len(via) >= most:
		return &refusedAnswerError{"the server redirects too many times. Check the endpoint"}
	default:
		return nil
	}
}

// refusedAnswerError reports a response that is not used: it is too large, or an unsafe redirect.
type refusedAnswerError struct{ reason string }

func (e *refusedAnswerError) Error() string { return e.reason }
