package controlplane_test

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const token = "eyJ-secret-token"

func TestNewNamesTheWrongField(t *testing.T) {
	t.Parallel()
	const endpoint = "http://localhost:5681"
	for name, test := range map[string]struct {
		config controlplane.Config
		field  string
	}{
		"no endpoint":     {controlplane.Config{}, controlplane.FieldEndpoint},
		"no scheme":       {controlplane.Config{Endpoint: "localhost:5681"}, controlplane.FieldEndpoint},
		"other scheme":    {controlplane.Config{Endpoint: "ftp://localhost"}, controlplane.FieldEndpoint},
		"no host":         {controlplane.Config{Endpoint: "http:///kuma"}, controlplane.FieldEndpoint},
		"no URL":          {controlplane.Config{Endpoint: "http://a b"}, controlplane.FieldEndpoint},
		"user":            {controlplane.Config{Endpoint: "http://admin:" + token + "@localhost"}, controlplane.FieldEndpoint},
		"user, no scheme": {controlplane.Config{Endpoint: "admin:" + token + "@localhost:5682"}, controlplane.FieldEndpoint},
		"user, one slash": {controlplane.Config{Endpoint: "https:/admin:" + token + "@localhost"}, controlplane.FieldEndpoint},
		"user, no host":   {controlplane.Config{Endpoint: "https://" + token + ":" + token + "@"}, controlplane.FieldEndpoint},
		"user, odd path":  {controlplane.Config{Endpoint: "https://admin:" + token + "/@localhost"}, controlplane.FieldEndpoint},
		"secret in query": {controlplane.Config{Endpoint: endpoint + "?key=" + token}, controlplane.FieldEndpoint},
		"fragment":        {controlplane.Config{Endpoint: endpoint + "#" + token}, controlplane.FieldEndpoint},
		"query, no host":  {controlplane.Config{Endpoint: "localhost:5681?key=" + token}, controlplane.FieldEndpoint},
		"query":           {controlplane.Config{Endpoint: endpoint + "?a=b"}, controlplane.FieldEndpoint},
		"token of words":  {controlplane.Config{Endpoint: endpoint, Token: token + " " + token}, controlplane.FieldToken},
		"header name":     {controlplane.Config{Endpoint: endpoint, Headers: map[string]string{"a b": "c"}}, controlplane.FieldHeaders},
		"header value":    {controlplane.Config{Endpoint: endpoint, Headers: map[string]string{"a": "b\r\nc: d"}}, controlplane.FieldHeaders},
		"two credentials": {controlplane.Config{Endpoint: endpoint, Token: token, Headers: map[string]string{"authorization": "b"}}, controlplane.FieldHeaders},
		"ca":              {controlplane.Config{Endpoint: endpoint, TLS: controlplane.TLS{CA: "ca.pem"}}, controlplane.FieldCA},
		"key without":     {controlplane.Config{Endpoint: endpoint, TLS: controlplane.TLS{ClientKey: token}}, controlplane.FieldClientCert},
		"cert without":    {controlplane.Config{Endpoint: endpoint, TLS: controlplane.TLS{ClientCert: "x"}}, controlplane.FieldClientKey},
		"no pair":         {controlplane.Config{Endpoint: endpoint, TLS: controlplane.TLS{ClientCert: "x", ClientKey: token}}, controlplane.FieldClientCert},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := controlplane.New(test.config)
			var wrong *controlplane.ConfigError
			if !errors.As(err, &wrong) || wrong.Field != test.field {
				t.Errorf("New(%+v) = %v, want a ConfigError on %s", test.config, err, test.field)
			}
			if err != nil && strings.Contains(err.Error(), token) {
				t.Errorf("the error contains a secret: %v", err)
			}
		})
	}
}

func TestRequestsCarryWhatIsConfigured(t *testing.T) {
	t.Parallel()
	var got *http.Request
	endpoint := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		answer(w, http.StatusOK, `{"type":"MeshTimeout","mesh":"a b","name":"web","spec":{}}`)
	})
	c := client(t, controlplane.Config{Endpoint: endpoint + "/kuma/", Token: token + "\n", Headers: map[string]string{"x-team": "shop"}, UserAgent: "test/1"})
	if _, err := c.Get(t.Context(), kinds.MeshTimeout, "a b", "web"); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"path": "/kuma/meshes/a%20b/meshtimeouts/web", "Authorization": "Bearer " + token, "X-Team": "shop", "User-Agent": "test/1", "Accept": "application/json"}
	sent := map[string]string{"path": got.URL.EscapedPath()}
	for name := range want {
		if name != "path" {
			sent[name] = got.Header.Get(name)
		}
	}
	testworld.Equal(t, "request", want, sent)
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"name":"me"}`)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs clients that do not trust its certificate
	s.StartTLS()
	t.Cleanup(s.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	for name, test := range map[string]struct {
		tls controlplane.TLS
		ok  bool
	}{
		"given authority":   {controlplane.TLS{CA: ca}, true},
		"no check":          {controlplane.TLS{InsecureSkipVerify: true}, true},
		"unknown authority": {controlplane.TLS{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client(t, controlplane.Config{Endpoint: s.URL, TLS: test.tls, MaxRetries: 10}).Kinds(t.Context())
			var unreachable *controlplane.UnreachableError
			if (err == nil) != test.ok || err != nil && (!errors.As(err, &unreachable) || unreachable.Attempts != 1) {
				t.Errorf("Kinds() = %v, want ok %t, and no retry", err, test.ok)
			}
		})
	}
}

// TestRetries checks that a failed attempt is retried with the same body.
func TestRetries(t *testing.T) {
	t.Parallel()
	web := testworld.Resource(t, webTimeout)
	for name, fail := range map[string]http.HandlerFunc{
		"503":   func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusServiceUnavailable) },
		"429":   func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "slowly", http.StatusTooManyRequests) },
		"reset": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			answer(w, 200, `{"warn`)
		},
		"retry after": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "0"); w.WriteHeader(503) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var attempts atomic.Int32
			endpoint := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); !json.Valid(body) {
					t.Errorf("attempt %d: body %q", attempts.Load()+1, body)
				}
				if attempts.Add(1) == 1 {
					fail(w, r)
					return
				}
				answer(w, http.StatusCreated, `{"warnings":["mind the gap"]}`)
			})
			outcome, warnings, err := client(t, controlplane.Config{Endpoint: endpoint}).Put(t.Context(), kinds.MeshTimeout, web)
			if err != nil || outcome != controlplane.Created || len(warnings) != 1 || attempts.Load() != 2 {
				t.Errorf("Put() = %d, %q, %v after %d attempts, want Created, one warning, nil after 2", outcome, warnings, err, attempts.Load())
			}
		})
	}
}

// TestEmptyAcknowledgement checks that a write succeeds on releases up to 2.9, which
// respond without a body.
func TestEmptyAcknowledgement(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]controlplane.Outcome{http.StatusCreated: controlplane.Created, http.StatusOK: controlplane.Updated} {
		endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		c := client(t, controlplane.Config{Endpoint: endpoint})
		if got, warnings, err := c.Put(t.Context(), kinds.MeshTimeout, kuma.Resource{Type: "MeshTimeout", Mesh: "default", Name: "web"}); err != nil || got != want || warnings != nil {
			t.Errorf("Put() answered with status %d = %d, %q, %v, want %d", status, got, warnings, err, want)
		}
	}
}

// TestFailures checks the type of the error for each response. Only those of
// [TestRetries] are retried.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		want   any
	}{
		"gone":             {404, stdError(404, "Could not retrieve a resource"), &controlplane.NotFoundError{}},
		"mesh gone":        {404, stdError(404, "Failed to retrieve Mesh"), &controlplane.NotFoundError{Mesh: true}},
		"text 404":         {404, "404: Page Not Found", &controlplane.UnknownKindError{}},
		"404 of a gateway": {404, `{"message":"no Route matched with those values"}`, &controlplane.UnknownKindError{}},
		"401":              {401, stdError(401, "Invalid authentication data"), &controlplane.UnauthorizedError{}},
		"401 of a proxy":   {401, "<html>", &controlplane.UnauthorizedError{}},
		"403":              {403, stdError(403, "Access Denied"), &controlplane.ForbiddenError{Detail: "because"}},
		"405":              {405, stdError(405, "Method not allowed"), &controlplane.NotAllowedError{Detail: "because"}},
		"409":              {409, stdError(409, "Conflict"), &controlplane.ConflictError{Detail: "because"}},
		"400 without field": {
			400, `{"type":"/std-errors","status":400,"title":"Bad Request","detail":"no JSON"}`,
			&controlplane.InvalidError{Title: "Bad Request", Detail: "no JSON", Violations: []controlplane.Violation{}},
		},
		"400 with fields": {
			400, `{"type":"/std-errors","status":400,"title":"T","detail":"D","invalid_parameters":[{"field":"spec.to[0]","reason":"a"},{"field":"","reason":".spec in body is required"},{"field":"","reason":"labels.kuma.io/x in body must be of type string"},{"field":"","reason":"something else"}]}`,
			&controlplane.InvalidError{Title: "T", Detail: "D", Violations: []controlplane.Violation{
				{Field: "spec.to[0]", Reason: "a"},
				{Field: "spec", Reason: ".spec in body is required"},
				{Field: `labels["kuma.io/x"]`, Reason: "labels.kuma.io/x in body must be of type string"},
				{Reason: "something else"},
			}},
		},
		"500":            {500, stdError(500, "Could not process a resource"), &controlplane.ServerError{Status: 500, Attempts: 1, Title: "Could not process a resource", Detail: "because"}},
		"502 of a proxy": {502, "<html><body>bad gateway</body></html>", &controlplane.ServerError{Status: 502, Attempts: 1, Title: "Bad Gateway", Detail: "an HTML page"}},
		"login page":     {200, "<html>", &controlplane.UnexpectedAnswerError{Status: 200}},
		"other kind":     {200, `{"type":"MeshRetry","mesh":"default","name":"web"}`, &controlplane.UnexpectedAnswerError{Status: 200}},
		"no content":     {204, "", &controlplane.UnexpectedAnswerError{Status: 204, Reason: "an empty response"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, test.status, test.body) })
			_, err := client(t, controlplane.Config{Endpoint: endpoint, Token: token, MaxRetries: -1}).Get(t.Context(), kinds.MeshTimeout, "default", "web")
			ignore := cmp.FilterPath(func(p cmp.Path) bool {
				return p.Last().String() == ".Call" || p.Last().String() == ".Reason" && test.status == 200
			}, cmp.Ignore())
			testworld.Equal(t, "Get() error", test.want, any(err), ignore)
			if err != nil && (!strings.HasPrefix(err.Error(), "GET /meshes/default/meshtimeouts/web: ") || strings.Contains(err.Error(), token)) {
				t.Errorf("message %q: want method and path first, and no token", err)
			}
		})
	}
}

// TestRedirects checks that the token is never sent to another server, and that a write
// never turns into a read.
func TestRedirects(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s went to another server, with headers %v", r.Method, r.URL, r.Header)
	})
	var to string
	endpoint := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/moved") {
			answer(w, http.StatusOK, `{"name":"me"}`)
			return
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	c := client(t, controlplane.Config{Endpoint: endpoint, Token: token, Headers: map[string]string{"X-Api-Key": token}})
	var unexpected *controlplane.UnexpectedAnswerError

	to = elsewhere + "/_resources"
	if _, err := c.Kinds(t.Context()); !errors.As(err, &unexpected) {
		t.Errorf("GET redirected elsewhere: %v, want an UnexpectedAnswerError", err)
	}
	to = "/moved"
	if _, err := c.Kinds(t.Context()); err != nil {
		t.Errorf("GET redirected within the server: %v", err)
	}
	if _, _, err := c.Put(t.Context(), kinds.MeshTimeout, testworld.Resource(t, webTimeout)); !errors.As(err, &unexpected) {
		t.Errorf("PUT redirected with 302: %v, want an UnexpectedAnswerError", err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err := client(t, controlplane.Config{Endpoint: s.URL, Token: token, MaxRetries: 1}).Kinds(t.Context())
	var unreachable *controlplane.UnreachableError
	if !errors.As(err, &unreachable) || unreachable.Endpoint != s.URL {
		t.Errorf("Kinds() = %v, want an UnreachableError of %s", err, s.URL)
	}
}

func client(t *testing.T, c controlplane.Config) *controlplane.Client {
	t.Helper()
	client, err := controlplane.New(c)
	testworld.NoError(t, err)
	return client
}

func serve(t *testing.T, h http.HandlerFunc) (endpoint string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func answer(w http.ResponseWriter, status int, body string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func stdError(status int, title string) string {
	return fmt.Sprintf(`{"type":"/std-errors","status":%d,"title":%q,"detail":"because\n"}`, status, title)
}

func TestRisks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config controlplane.Config
		want   []string // fields
	}{
		"https":                    {controlplane.Config{Endpoint: "https://cp:5682", Token: token}, nil},
		"http without token":       {controlplane.Config{Endpoint: "http://cp:5681"}, nil},
		"http with token":          {controlplane.Config{Endpoint: "http://cp:5681", Token: token}, []string{controlplane.FieldEndpoint}},
		"http with a header":       {controlplane.Config{Endpoint: "http://cp", Headers: map[string]string{"authorization": "Basic x"}}, []string{controlplane.FieldEndpoint}},
		"http with another header": {controlplane.Config{Endpoint: "http://cp", Headers: map[string]string{"X-Api-Key": "x"}}, []string{controlplane.FieldEndpoint}},
		"https with a header":      {controlplane.Config{Endpoint: "https://cp", Headers: map[string]string{"X-Api-Key": "x"}}, nil},
		"localhost with a header":  {controlplane.Config{Endpoint: "http://localhost", Headers: map[string]string{"X-Api-Key": "x"}}, nil},
		"localhost":                {controlplane.Config{Endpoint: "http://localhost:5681", Token: token}, nil},
		"name below localhost":     {controlplane.Config{Endpoint: "http://kuma.localhost:5681", Token: token}, nil},
		"name like localhost":      {controlplane.Config{Endpoint: "http://localhost.example.com", Token: token}, []string{controlplane.FieldEndpoint}},
		"loopback address":         {controlplane.Config{Endpoint: "http://127.0.0.2:5681", Token: token}, nil},
		"loopback address 6":       {controlplane.Config{Endpoint: "http://[::1]:5681", Token: token}, nil},
		"private address":          {controlplane.Config{Endpoint: "http://10.0.0.1:5681", Token: token}, []string{controlplane.FieldEndpoint}},
		"no check":                 {controlplane.Config{Endpoint: "https://cp", TLS: controlplane.TLS{InsecureSkipVerify: true}}, []string{controlplane.FieldInsecureSkipVerify}},
		"no check where none is":   {controlplane.Config{Endpoint: "http://localhost", TLS: controlplane.TLS{InsecureSkipVerify: true}}, nil},
		"own transport":            {controlplane.Config{Endpoint: "http://embedded", Token: token, Transport: http.DefaultTransport}, nil},
		"unusable endpoint":        {controlplane.Config{Endpoint: "cp", Token: token}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, r := range test.config.Risks() {
				got = append(got, r.Field)
			}
			testworld.Equal(t, fmt.Sprintf("Risks() of %s", test.config.Endpoint), test.want, got)
		})
	}
}
