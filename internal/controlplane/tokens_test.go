package controlplane_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestTokenRequests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request controlplane.TokenRequest
		path    string
		body    string
	}{
		"least of a dataplane": {controlplane.DataplaneToken{Mesh: "shop"}, "/tokens/dataplane", `{"mesh":"shop"}`},
		"dataplane": {
			controlplane.DataplaneToken{Mesh: "shop", Name: "web-1", Tags: map[string][]string{"kuma.io/service": {"web"}}, Type: "dataplane", Workload: "web", ValidFor: "720h"},
			"/tokens/dataplane", `{"mesh":"shop","name":"web-1","tags":{"kuma.io/service":["web"]},"type":"dataplane","workload":"web","validFor":"720h"}`,
		},
		"zone":            {controlplane.ZoneToken{Zone: "east", Scope: []string{"ingress"}, ValidFor: "1h"}, "/tokens/zone", `{"zone":"east","scope":["ingress"],"validFor":"1h"}`},
		"zone of nothing": {controlplane.ZoneToken{Zone: "east", Scope: []string{}}, "/tokens/zone", `{"zone":"east","scope":[]}`},
		"user":            {controlplane.UserToken{Name: "ci", Groups: []string{"team"}, ValidFor: "1h"}, "/tokens/user", `{"name":"ci","groups":["team"],"validFor":"1h"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attempts := 0
			endpoint := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if attempts++; attempts == 1 {
					w.WriteHeader(http.StatusServiceUnavailable) // it is retried
					return
				}
				body, _ := io.ReadAll(r.Body)
				if r.Method != http.MethodPost || r.URL.Path != test.path || string(body) != test.body || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s %s %s, want POST %s %s", r.Method, r.URL, body, test.path, test.body)
				}
				answer(w, http.StatusOK, "a.b.c")
			})
			token, err := client(t, controlplane.Config{Endpoint: endpoint}).IssueToken(t.Context(), test.request)
			if err != nil || token != "a.b.c" {
				t.Errorf("IssueToken() = %q, %v", token, err)
			}
		})
	}
}

func TestTokenFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		want   any
	}{
		"no key":        {404, stdError(404, "Signing Key not found"), &controlplane.SigningKeyError{Detail: "because"}},
		"no permission": {403, stdError(403, "Access Denied"), &controlplane.ForbiddenError{Anonymous: true, Detail: "because"}},
		"no tokens":     {404, "404: Page Not Found", &controlplane.UnknownKindError{}},
		"login page":    {200, "<html>a.b.c", &controlplane.UnexpectedAnswerError{Status: 200, Reason: "the response is not a token"}},
		"no token":      {200, "secret words", &controlplane.UnexpectedAnswerError{Status: 200, Reason: "the response is not a token"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, test.status, test.body) })
			_, err := client(t, controlplane.Config{Endpoint: endpoint}).IssueToken(t.Context(), controlplane.UserToken{Name: "ci", ValidFor: "1h"})
			ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Call" }, cmp.Ignore())
			testworld.Equal(t, "IssueToken() error", test.want, any(err), ignore)
		})
	}
}

// TestTokensOnEmbedded checks token requests against the embedded control plane.
func TestTokensOnEmbedded(t *testing.T) {
	t.Parallel()
	s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	testworld.NoError(t, err)
	c := client(t, controlplane.Config{Endpoint: "http://embedded", Transport: s.Transport()})
	var missing *controlplane.SigningKeyError
	if _, err := c.IssueToken(t.Context(), controlplane.DataplaneToken{Mesh: "shop"}); !errors.As(err, &missing) {
		t.Errorf("IssueToken() in a missing mesh: %v, want a SigningKeyError", err)
	}
	if _, _, err := c.Put(t.Context(), kinds.Mesh, testworld.Resource(t, strings.ReplaceAll(defaultMesh, "default", "shop"))); err != nil {
		t.Fatal(err)
	}
	for name, request := range map[string]controlplane.TokenRequest{
		"dataplane": controlplane.DataplaneToken{Mesh: "shop", Type: "dataplane", ValidFor: "1h"},
		"zone":      controlplane.ZoneToken{Zone: "east", Scope: []string{"cp"}},
		"user":      controlplane.UserToken{Name: "ci", ValidFor: "1h"},
	} {
		token, err := c.IssueToken(t.Context(), request)
		if err != nil || strings.Count(token, ".") != 2 {
			t.Errorf("%s: IssueToken() = %q, %v", name, token, err)
		}
	}
	var invalid *controlplane.InvalidError
	_, err = c.IssueToken(t.Context(), controlplane.UserToken{})
	if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
		body, _ := json.Marshal(invalid)
		t.Errorf("IssueToken() without a mesh:  %v (%s), want an InvalidError with fields", err, body)
	}
}

func TestReadToken(t *testing.T) {
	t.Parallel()
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	testworld.NoError(t, err)
	c := client(t, controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()})
	earliest := time.Now().Add(time.Hour).Truncate(time.Second)
	token, err := c.IssueToken(t.Context(), controlplane.UserToken{Name: "ci", ValidFor: "1h"})
	testworld.NoError(t, err)
	latest := time.Now().Add(time.Hour)
	got, err := controlplane.ReadToken(token)
	if err != nil || len(got.ID) != 36 || got.Expires.Before(earliest) || got.Expires.After(latest) {
		t.Errorf("ReadToken() = %+v, %v, want one that expires between %s and %s", got, err, earliest, latest)
	}
	for _, text := range []string{"", "secret", "a.secret.c", "a.e30.c", "a..c"} {
		if _, err := controlplane.ReadToken(text); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
