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

// Attempt is one try of a request, for a log. It holds no secret: neither
// headers nor bodies.
type Attempt struct {
	Call
	Number   int // 1 for the first
	Status   int // 0 when there was no answer
	Duration time.Duration
	Err      error // why there was no answer
}

// attempts remembers what became of the attempts at one request.
type attempts struct {
	last    int         // number of the latest
	sent    atomic.Bool // the latest was sent to a server
	unknown bool        // one may have taken effect without saying so
	secrets secrets     // that the request carries
}

type attemptsKey struct{}

// attach returns a context that reports to t.
func (t *attempts) attach(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, attemptsKey{}, t)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { t.sent.Store(true) }})
}

// mayHaveHappened adds to the failure of a write that one of its attempts may have
// succeeded. What is not there now was not written.
func (r reply) mayHaveHappened(err error) error {
	var notFound *NotFoundError
	if r.attempts == nil || !r.attempts.unknown || errors.As(err, &notFound) {
		return err
	}
	return &UnknownOutcomeError{err}
}

// bufferedTransport reads answers to their end before it returns them: an answer that is
// cut off is then a failed attempt like any other, and is repeated.
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
		return nil, fmt.Errorf("the answer was cut off: %w", err)
	}
	if int64(len(data)) > b.longest {
		return nil, &tooBigError{b.longest}
	}
	answer.Body = io.NopCloser(bytes.NewReader(data))
	return answer, nil
}

type tooBigError struct{ longest int64 }

func (e *tooBigError) Error() string {
	return fmt.Sprintf("the answer is bigger than %d bytes: check that the endpoint is a control plane", e.longest)
}

// checkRedirect follows a redirect only where it cannot do harm: the token and
// the other headers stay with the configured server, and a write stays a write.
func checkRedirect(r *http.Request, via []*http.Request) error {
	const most = 5
	from := via[0]
	switch {
	case r.URL.Host != from.URL.Host, r.URL.Scheme != from.URL.Scheme:
		return &redirectError{"the server redirects to " + r.URL.Scheme + "://" + r.URL.Host + ": set that as endpoint if it is the control plane"}
	case r.Method != from.Method:
		return &redirectError{"the server redirects to " + r.URL.Path + ", which would turn the write into a read: check the endpoint"}
	case len(via) >= most:
		return &redirectError{"the server redirects in circles: check the endpoint"}
	default:
		return nil
	}
}

type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }
