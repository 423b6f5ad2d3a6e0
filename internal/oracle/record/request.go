package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// host is the Host header of all requests, independent of the port: the links in answers
// contain it.
const host = "127.0.0.1:24001"

// server is the API of a running control plane.
type server struct {
	endpoint string
	client   *http.Client
}

func newServer(endpoint string) *server {
	return &server{endpoint, &http.Client{
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 8},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is the response of a control plane to a request.
type answer struct {
	status int // 0 when the control plane closes the connection instead, as after a panic
	body   any // decoded JSON, a string if it is not JSON, nil if it is empty
}

func (a answer) accepted() bool { return a.status > 0 && a.status < http.StatusMultipleChoices }

// document returns the body if it is an object, and nil if it is not.
func (a answer) document() object { return tree.Object(a.body) }

// send sends a request. path may have a query, and body is sent unchanged.
func (s *server) send(ctx context.Context, method, path string, headers map[string]string, body string) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.endpoint+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Host = host
	for name, value := range headers {
		if name == "Host" {
			request.Host = value
			continue
		}
		request.Header.Set(name, value)
	}
	response, err := s.client.Do(request)
	if errors.Is(err, io.EOF) {
		return answer{}, nil
	}
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	return answer{response.StatusCode, decodeBody(data)}, nil
}

func decodeBody(data []byte) any {
	if len(data) == 0 {
		return nil
	}
	v, err := tree.DecodeJSON(data)
	if err != nil {
		return string(data)
	}
	return v
}

// await returns when the control plane has an identity, which it stores first.
func (s *server) await(ctx context.Context) error {
	return poll(ctx, "a cluster id", func() (bool, error) {
		index, err := s.get(ctx, "/")
		return tree.Text(index.document()["clusterId"]) != "", err
	})
}

// awaitResource returns when a resource has come from another control plane.
func (s *server) awaitResource(ctx context.Context, path string) error {
	return poll(ctx, path, func() (bool, error) {
		got, err := s.get(ctx, path)
		return got.accepted(), err
	})
}

// patience limits all waiting.
const patience = time.Minute

// poll returns when the expected resource exists.
func poll(ctx context.Context, expected string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the control plane does not have %s after %s", expected, patience))
	defer cancel()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

var (
	acceptJSON = map[string]string{"Accept": "application/json"}
	sendJSON   = map[string]string{"Accept": "application/json", "Content-Type": "application/json"}
)

func (s *server) get(ctx context.Context, path string) (answer, error) {
	return s.send(ctx, http.MethodGet, path, acceptJSON, "")
}

func (s *server) put(ctx context.Context, path string, document any) (answer, error) {
	body, err := tree.EncodeJSON(document)
	if err != nil {
		return answer{}, err
	}
	return s.send(ctx, http.MethodPut, path, sendJSON, body)
}

// delete removes a resource, which may be absent.
func (s *server) delete(ctx context.Context, path string) error {
	_, err := s.send(ctx, http.MethodDelete, path, acceptJSON, "")
	return err
}

// pathOf returns the path of a document in the API.
func pathOf(document object) (string, error) {
	k, ok := kinds.Find(tree.Text(document["type"]))
	if !ok {
		return "", errors.New("unknown kind " + tree.Text(document["type"]))
	}
	return pathIn(k, tree.Text(document["mesh"]), tree.Text(document["name"])), nil
}

// pathIn returns the path of a resource. The mesh defaults to "default".
func pathIn(k def.Kind, mesh, name string) string {
	path := "/" + k.Path + "/" + url.PathEscape(name)
	if k.Scope == def.Global {
		return path
	}
	if mesh == "" {
		mesh = "default"
	}
	return "/meshes/" + url.PathEscape(mesh) + path
}
