package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	firstWait   = 250 * time.Millisecond
	longestWait = 20 // times the first

	// usualRetries span 32 to 43 seconds, so that every request survives an outage of
	// 30. contactRetries span about 3 to 4: see [firstContact].
	usualRetries   = 12
	contactRetries = 4

	// maxRetryAfter is the longest Retry-After that is honored. A server that
	// requests more is down.
	maxRetryAfter = time.Minute
)

// retrying wraps a client. All requests of this package can be retried: GET,
// PUT and DELETE are idempotent, and a server does not store the tokens
// that it issues. Retries end with the context of the
// request.
func retrying(c *http.Client, maxRetries int, first time.Duration) *retryablehttp.Client {
	switch {
	case maxRetries == 0:
		maxRetries = usualRetries
	case maxRetries < 0:
		maxRetries = 0
	}
	return &retryablehttp.Client{
		HTTPClient:   c,
		RetryWaitMin: first,
		RetryWaitMax: longestWait * first,
		RetryMax:     maxRetries,
		CheckRetry:   shouldRetry,
		Backoff:      backoff,
		PrepareRetry: prepareRetry,
		ErrorHandler: retryablehttp.PassthroughErrorHandler, // the last answer says more than "giving up"
		RequestLogHook: func(_ retryablehttp.Logger, r *http.Request, retry int) {
			if t, ok := r.Context().Value(attemptsKey{}).(*attempts); ok {
				t.last = retry + 1
			}
		},
	}
}

type firstContactKey struct{}

// firstContact returns a context for the request that finds out whether there is
// a control plane at all. While none of its attempts reaches a server, it is
// retried only a few times: the address is probably wrong, and the user
// is waiting. A server that has responded before is probably back soon.
func firstContact(ctx context.Context) context.Context {
	return context.WithValue(ctx, firstContactKey{}, true)
}

// firstContactFailed reports whether a first contact has been tried often enough.
func firstContactFailed(ctx context.Context) bool {
	t, ok := ctx.Value(attemptsKey{}).(*attempts)
	return ok && ctx.Value(firstContactKey{}) != nil && !t.sent.Load() && t.last > contactRetries
}

type computedKey struct{}

// computed returns a context for a request whose response the server computes from what
// it stores: status 500 means that it cannot, and that it cannot the next time either.
func computed(ctx context.Context) context.Context {
	return context.WithValue(ctx, computedKey{}, true)
}

// shouldRetry excludes from the usual reasons (no connection, 429, 5xx) those
// that a second attempt cannot fix.
func shouldRetry(ctx context.Context, answer *http.Response, err error) (bool, error) {
	var refused *refusedAnswerError
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &refused) || errors.As(err, &untrusted) || errors.Is(err, http.ErrSchemeMismatch) {
		return false, nil
	}
	if err != nil && firstContactFailed(ctx) {
		return false, nil
	}
	if answer != nil && answer.StatusCode == http.StatusInternalServerError && ctx.Value(computedKey{}) != nil {
		return false, nil
	}
	if wait, ok := retryAfter(answer); ok && wait > maxRetryAfter {
		return false, ctx.Err()
	}
	return retryablehttp.DefaultRetryPolicy(ctx, answer, err)
}

// backoff doubles from retry to retry, or is what the server asks for. Jitter
// keeps clients that failed together from retrying together.
func backoff(shortest, longest time.Duration, retry int, answer *http.Response) time.Duration {
	wait := longest
	if doubled := shortest << min(retry, 30); doubled < longest {
		wait = doubled
	}
	wait -= rand.N(wait/4 + 1)
	if asked, ok := retryAfter(answer); ok {
		return asked + rand.N(shortest)
	}
	return wait
}

// retryAfter reads how long the server asks clients to wait.
func retryAfter(answer *http.Response) (time.Duration, bool) {
	if answer == nil || answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	text := answer.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}

// advice returns what to do about a server that cannot be reached.
func advice(err error) string {
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return "Use http:// in the endpoint, or the HTTPS port of the control plane (5682 by default)"
	case errors.Is(err, errHTTPSPort):
		return "Use https:// in the endpoint, or the HTTP port of the control plane (5681 by default)"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "Renew the certificate of the server, or check the clock of this machine"
	case errors.As(err, &host):
		return "Use a host name in the endpoint that is in the certificate of the server"
	case errors.As(err, &unknown), errors.As(err, &invalid):
		return "Trust the authority (CA) that signed the certificate of the server"
	case errors.As(err, &dns):
		return "Check the host name in the endpoint"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Check that the control plane is running, and the port of the endpoint"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "Check the network, or increase the request timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "Try again; if the error persists, check the log of the server"
	default:
		return "Check the endpoint, the network and the TLS settings"
	}
}
