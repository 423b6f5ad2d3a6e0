package controlplane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

const mediaJSON = "application/json"

// Client is a client of one control plane. It is safe for concurrent use.
type Client struct {
	endpoint  *url.URL
	headers   http.Header
	identity  string
	secrets   secrets
	http      *retryablehttp.Client
	inProcess bool
}

// New returns a client. It does not connect; see [Client.Discover]. An invalid
// setting in c is a [ConfigError].
func New(c Config) (*Client, error) {
	endpoint, err := c.endpoint()
	if err != nil {
		return nil, err
	}
	headers, err := c.headers()
	if err != nil {
		return nil, err
	}
	transport, err := c.transport()
	if err != nil {
		return nil, err
	}
	return &Client{
		endpoint:  endpoint,
		headers:   headers,
		identity:  cmp.Or(c.Identity, endpoint.String()),
		secrets:   c.secrets(),
		inProcess: c.InProcess,
		http: retrying(&http.Client{
			Transport:     bufferedTransport{transport: transport, log: c.Log, longest: cmp.Or(c.MaxAnswer, 256<<20)},
			CheckRedirect: checkRedirect,
			Timeout:       cmp.Or(c.RequestTimeout, 60*time.Second),
		}, c.MaxRetries, cmp.Or(c.FirstRetry, firstWait)),
	}, nil
}

// Identity identifies the control plane: clients of the same one have the same.
func (c *Client) Identity() string { return c.identity }

// reply is a response of the server, read to its end.
type reply struct {
	call     Call
	status   int
	wait     time.Duration // from Retry-After
	date     time.Time     // from Date: the clock of the server; zero in process
	token    string        // of the request
	body     []byte
	attempts *attempts
}

// do sends one request and returns the response if it is a success. steps are the
// segments of the path below the endpoint, not yet escaped.
func (c *Client) do(ctx context.Context, method string, body []byte, query url.Values, steps ...string) (reply, error) {
	u := c.endpoint.JoinPath(phrase.Each(steps, url.PathEscape)...)
	u.RawQuery = query.Encode()
	call := Call{Method: method, Path: u.Path, InProcess: c.inProcess}

	var content any // nil for no body
	if body != nil {
		content = body
	}
	token := strings.TrimPrefix(c.headers.Get("Authorization"), "Bearer ")
	got := reply{call: call, token: token, attempts: &attempts{secrets: c.secrets.inContext(ctx)}}
	r, err := retryablehttp.NewRequestWithContext(got.attempts.attach(ctx), method, u.String(), content)
	if err != nil {
		return got, fmt.Errorf("%s: %w", call, err)
	}
	r.Header = c.headers.Clone()
	if body != nil {
		r.Header.Set("Content-Type", mediaJSON)
	}
	c.addConditions(r.Request)
	answer, err := c.http.Do(r)
	if err != nil {
		return got, c.unreachable(ctx, got, err)
	}
	defer answer.Body.Close() //nolint:errcheck // in memory, see bufferedTransport
	got.status = answer.StatusCode
	got.wait, _ = retryAfter(answer)
	got.date, _ = http.ParseTime(answer.Header.Get("Date"))
	if got.body, err = io.ReadAll(answer.Body); err != nil {
		return got, c.unreachable(ctx, got, err)
	}
	if got.fromHTTPSPort() {
		return got, c.unreachable(ctx, got, errHTTPSPort)
	}
	return got, got.failure()
}

// unreachable describes why there is no response.
func (c *Client) unreachable(ctx context.Context, r reply, err error) error {
	if cause := ctx.Err(); cause != nil {
		return &InterruptedError{Call: r.call, Err: cause}
	}
	if wrapper, ok := errors.AsType[*url.Error](err); ok {
		err = wrapper.Err
	}
	if refused, ok := errors.AsType[*beforeRetryError](err); ok {
		return refused.error
	}
	if _, refused := errors.AsType[*refusedAnswerError](err); refused {
		return r.unexpected("%v", err)
	}
	return &UnreachableError{
		Call: r.call, Endpoint: strings.TrimSuffix(c.endpoint.String(), "/"), Attempts: r.attempts.last,
		Err: r.attempts.secrets.maskError(err),
	}
}
