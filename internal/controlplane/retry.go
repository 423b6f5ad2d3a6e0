package controlplane

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// retrying wraps a client. All requests of this package can be repeated: GET,
// PUT and DELETE leave the same behind the second time. Retries end with the
// context of the request.
func retrying(c *http.Client, maxRetries int) *retryablehttp.Client {
	const usual = 4
	switch {
	case maxRetries == 0:
		maxRetries = usual
	case maxRetries < 0:
		maxRetries = 0
	}
	return &retryablehttp.Client{
		HTTPClient:   c,
		RetryWaitMin: 250 * time.Millisecond,
		RetryWaitMax: 5 * time.Second,
		RetryMax:     maxRetries,
		CheckRetry:   shouldRetry,
		Backoff:      backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler, // the last answer says more than "giving up"
	}
}

// shouldRetry adds to the usual reasons (no connection, 429, 5xx) the conflict
// of two writes at once, in which nothing was stored (spec/rest-api.md §19).
func shouldRetry(ctx context.Context, answer *http.Response, err error) (bool, error) {
	var redirect *redirectError
	var tooBig *tooBigError
	if errors.As(err, &redirect) || errors.As(err, &tooBig) {
		return false, nil
	}
	if conflict(answer) && ctx.Err() == nil {
		return true, nil
	}
	return retryablehttp.DefaultRetryPolicy(ctx, answer, err)
}

// backoff waits shortly and unevenly after a conflict, so that the writers come
// apart; else it doubles from attempt to attempt, or as Retry-After says.
func backoff(shortest, longest time.Duration, attempt int, answer *http.Response) time.Duration {
	if conflict(answer) {
		return time.Duration(20+rand.IntN(80*(attempt+1))) * time.Millisecond
	}
	return retryablehttp.DefaultBackoff(shortest, longest, attempt, answer)
}

func conflict(answer *http.Response) bool {
	return answer != nil && answer.StatusCode == http.StatusConflict && answer.Request.Method == http.MethodPut
}
