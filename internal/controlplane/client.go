package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const mediaJSON = "application/json"

// Client talks to one control plane. It may be used concurrently.
type Client struct {
	endpoint *url.URL
	headers  http.Header
	http     *retryablehttp.Client
}

// New returns a client. It does not connect; see [Client.Discover]. What it
// cannot use of c is a [ConfigError].
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
	timeout := c.RequestTimeout
	if timeout == 0 {
		timeout = 60 * time.Second
	}
	return &Client{
		endpoint: endpoint,
		headers:  headers,
		http: retrying(&http.Client{
			Transport:     whole{transport},
			CheckRedirect: checkRedirect,
			Timeout:       timeout,
		}, c.MaxRetries),
	}, nil
}

// reply is an answer of the server, read to its end.
type reply struct {
	call   Call
	status int
	header http.Header
	body   []byte
}

// do sends one request and returns the answer if it is a success. steps are the
// parts of the path below the endpoint, not yet escaped.
func (c *Client) do(ctx context.Context, method string, body []byte, query url.Values, steps ...string) (reply, error) {
	escaped := make([]string, len(steps))
	for i, step := range steps {
		escaped[i] = url.PathEscape(step)
	}
	u := c.endpoint.JoinPath(escaped...)
	u.RawQuery = query.Encode()
	call := Call{Method: method, Path: u.Path}

	var content any // no body, rather than an empty one
	if body != nil {
		content = body
	}
	r, err := retryablehttp.NewRequestWithContext(ctx, method, u.String(), content)
	if err != nil {
		return reply{}, fmt.Errorf("%s: %w", call, err)
	}
	r.Header = c.headers.Clone()
	if body != nil {
		r.Header.Set("Content-Type", mediaJSON)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return reply{}, c.unreachable(ctx, call, err)
	}
	defer answer.Body.Close() //nolint:errcheck // in memory, see whole
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return reply{}, c.unreachable(ctx, call, err)
	}
	got := reply{call: call, status: answer.StatusCode, header: answer.Header, body: data}
	return got, got.failure()
}

// unreachable describes why there is no answer.
func (c *Client) unreachable(ctx context.Context, call Call, err error) error {
	if cause := ctx.Err(); cause != nil {
		return fmt.Errorf("%s: %w", call, cause)
	}
	var wrapper *url.Error // repeats method and URL
	if errors.As(err, &wrapper) {
		err = wrapper.Err
	}
	var redirect *redirectError
	var tooBig *tooBigError
	if errors.As(err, &redirect) || errors.As(err, &tooBig) {
		return &UnexpectedAnswerError{Call: call, Reason: err.Error()}
	}
	return &UnreachableError{Call: call, Endpoint: strings.TrimSuffix(c.endpoint.String(), "/"), Err: err}
}

// maxAnswer bounds what is kept of an answer. A page of 1000 resources takes
// about 1 MB.
const maxAnswer = 256 << 20

// whole reads answers to their end before it returns them: an answer that is
// cut off is then a failed attempt like any other, and is repeated.
type whole struct{ transport http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (w whole) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := w.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, fmt.Errorf("the answer was cut off: %w", err)
	}
	if len(data) > maxAnswer {
		return nil, &tooBigError{}
	}
	answer.Body = io.NopCloser(bytes.NewReader(data))
	return answer, nil
}

type tooBigError struct{}

func (*tooBigError) Error() string {
	return fmt.Sprintf("the answer is bigger than %d MB", maxAnswer>>20)
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
