package embedded_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// sameToken compares a token with the recorded one, except for the time of issue and
// the signature.
func sameToken(t *testing.T, e exchange, token string) {
	t.Helper()
	header, claims, _ := tokenParts(t, token)
	if e.Decoded.Header == nil {
		return
	}
	e.Decoded.Header["alg"] = "none"
	testworld.Equal(t, "header", e.Decoded.Header, header)
	for _, c := range []map[string]any{e.Decoded.Claims, claims} {
		if id, _ := c["jti"].(string); len(id) != 36 {
			t.Errorf("jti %q is not a UUID", id)
		}
		issued, _ := c["iat"].(float64)
		for _, name := range []string{"exp", "nbf"} {
			at, _ := c[name].(float64)
			c[name+" minus iat"] = at - issued
		}
		delete(c, "jti")
		delete(c, "iat")
		delete(c, "exp")
		delete(c, "nbf")
	}
	testworld.Equal(t, "claims", e.Decoded.Claims, claims)
}

// tokenParts decodes a token without checking its signature.
func tokenParts(t *testing.T, token string) (header, claims map[string]any, signature []byte) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is not a token", token)
	}
	var decoded [3][]byte
	for i, part := range parts {
		var err error
		if decoded[i], err = base64.RawURLEncoding.DecodeString(part); err != nil {
			t.Fatal(err)
		}
	}
	decode(t, decoded[0], &header)
	decode(t, decoded[1], &claims)
	return header, claims, decoded[2]
}

func issue(t *testing.T, s *embedded.Server, path, body string) string {
	t.Helper()
	token := wantStatus(t, http.StatusOK, s, http.MethodPost, path, asJSON, []byte(body))
	return string(token)
}

func TestTokenTimes(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Clock: func() time.Time { return noon }})
	testworld.NoError(t, err)
	_, claims, _ := tokenParts(t, issue(t, s, "/tokens/user", `{"name":"john","validFor":"1h"}`))
	want := map[string]any{"Name": "john", "Groups": nil, "iat": float64(noon.Unix() - 5), "nbf": float64(noon.Unix() - 5), "exp": float64(noon.Unix() + 3600)}
	delete(claims, "jti")
	testworld.Equal(t, "claims", want, claims)
}

// TestTokensWriteNothing checks that issuing a token, which plans do too, does not write
// a key into the directory.
func TestTokensWriteNothing(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	before := fileContents(t, directory)
	var all sync.WaitGroup
	for path, body := range map[string]string{
		"/tokens/dataplane": `{"mesh":"default"}`,
		"/tokens/zone":      `{"zone":"zone-1","scope":["cp"]}`,
		"/tokens/user":      `{"name":"john","validFor":"1h"}`,
	} {
		for range 2 {
			all.Go(func() {
				status, token := send(t, s, http.MethodPost, path, asJSON, []byte(body))
				if status != http.StatusOK {
					t.Errorf("POST %s: status %d\n%s", path, status, token)
					return
				}
				header, claims, signature := tokenParts(t, string(token))
				want := map[string]any{"alg": "none", "kid": "1", "typ": "JWT"}
				if diff := cmp.Diff(want, header); diff != "" || claims["jti"] == nil || len(signature) > 0 {
					t.Errorf("POST %s: claims %v, %d bytes of signature, header (-want +got):\n%s", path, claims, len(signature), diff)
				}
			})
		}
	}
	all.Wait()
	if diff := cmp.Diff(before, fileContents(t, directory)); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}
