package oracle

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

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Answer is the response of a control plane to a request.
type Answer struct {
	Status int // 0 when the control plane closes the connection instead, as after a panic
	Body   any // decoded JSON, a string if it is not JSON, nil if it is empty
}

// Accepted reports whether the request was successful.
func (a Answer) Accepted() bool { return a.Status > 0 && a.Status < http.StatusMultipleChoices }

// Document returns the body if it is an object, and nil if it is not.
func (a Answer) Document() map[string]any { return tree.Object(a.Body) }

// sender sends requests as they are.
var sender = &http.Client{
	Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 8},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// host is the Host header of all requests, independent of the port: the links in answers
// contain it.
const host = "127.0.0.1:24001"

// Send sends a request. path may have a query, and body is sent unchanged.
func (s *Site) Send(ctx context.Context, method, path string, headers map[string]string, body string) (Answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.Endpoint+path, strings.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	request.Host = host
	for name, value := range headers {
		if name == "Host" {
			request.Host = value
			continue
		}
		request.Header.Set(name, value)
	}
	response, err := sender.Do(request)
	if errors.Is(err, io.EOF) { // it may have closed an idle connection: only a panic happens again
		request.Body = io.NopCloser(strings.NewReader(body))
		response, err = sender.Do(request)
	}
	if errors.Is(err, io.EOF) {
		return Answer{}, nil
	}
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Status: response.StatusCode}
	if answer.Body, err = tree.DecodeJSON(data); err != nil && len(data) > 0 {
		answer.Body = string(data)
	}
	return answer, nil
}

// Get requests a path.
func (s *Site) Get(ctx context.Context, path string) (Answer, error) {
	return s.Send(ctx, http.MethodGet, path, map[string]string{"Accept": "application/json"}, "")
}

// PutDocument sends a document to its path.
func (s *Site) PutDocument(ctx context.Context, document map[string]any) (Answer, error) {
	path, err := DocumentPath(document)
	if err != nil {
		return Answer{}, err
	}
	body, err := tree.EncodeJSON(document)
	if err != nil {
		return Answer{}, err
	}
	headers := map[string]string{"Accept": "application/json", "Content-Type": "application/json"}
	return s.Send(ctx, http.MethodPut, path, headers, body)
}

// DocumentPath returns the path of a document in the API.
func DocumentPath(document map[string]any) (string, error) {
	k, ok := kinds.Find(tree.Text(document["type"]))
	if !ok {
		return "", fmt.Errorf("unknown kind %v", document["type"])
	}
	steps := []string{k.Path, tree.Text(document["name"])}
	if k.Scope == def.InMesh {
		steps = append([]string{"meshes", cmp.Or(tree.Text(document["mesh"]), kuma.DefaultMesh)}, steps...)
	}
	return Path(steps...), nil
}

// Path returns the path with the given segments.
func Path(steps ...string) string {
	var path strings.Builder
	for _, step := range steps {
		path.WriteString("/" + url.PathEscape(step))
	}
	return path.String()
}

// ErrUnanswered reports that a control plane failed to answer a request. The inspect API
// of older releases closes the connection, or does not answer, for some Dataplanes.
var ErrUnanswered = errors.New("no answer")

// Inspect requests an endpoint about a Dataplane, such as "_layout". The answer usually
// takes milliseconds. The error wraps [ErrUnanswered] if the control plane fails to answer.
func (s *Site) Inspect(ctx context.Context, mesh, dataplane string, endpoint ...string) (any, error) {
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	path := Path(append([]string{"meshes", mesh, "dataplanes", dataplane}, endpoint...)...)
	got, err := s.Get(limited, path)
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("GET %s: %w: %w", path, ErrUnanswered, err)
	case err != nil:
		return nil, err
	case got.Status == 0 || got.Status >= http.StatusInternalServerError:
		return nil, fmt.Errorf("GET %s: %w: status %d: %v", path, ErrUnanswered, got.Status, got.Body)
	case got.Status != http.StatusOK:
		return nil, fmt.Errorf("GET %s: status %d: %v", path, got.Status, got.Body)
	default:
		return got.Body, nil
	}
}

// Answers returns the rules of the Dataplanes among resources, by name: nil where the
// control plane does not answer.
func (s *Site) Answers(ctx context.Context, resources []kuma.Resource) (map[string]any, error) {
	answers := map[string]any{}
	for _, r := range resources {
		if r.Type != kuma.KindDataplane {
			continue
		}
		var err error
		if answers[r.Name], err = s.Rules(ctx, r.Mesh, r.Name); err != nil && !errors.Is(err, ErrUnanswered) {
			return nil, err
		}
	}
	return answers, nil
}

// Rules returns the rules of a Dataplane in normal form.
func (s *Site) Rules(ctx context.Context, mesh, dataplane string) (any, error) {
	answer, err := s.Inspect(ctx, mesh, dataplane, "_rules")
	return testworld.NormalAnswer(answer), err
}
