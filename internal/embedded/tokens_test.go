package embedded_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
)

// sameToken compares a token with the recorded one: the claims, except for the
// time of issue, and the signature with the key in the store.
func sameToken(t *testing.T, s *embedded.Server, e exchange, token string) {
	t.Helper()
	header, claims := parseToken(t, s, token)
	if e.Decoded.Header == nil {
		return
	}
	if diff := cmp.Diff(e.Decoded.Header, header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
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
	if diff := cmp.Diff(e.Decoded.Claims, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

// parseToken checks the signature of a token as a proxy or another program
// would, with the secret that clients can read.
func parseToken(t *testing.T, s *embedded.Server, token string) (header, claims map[string]any) {
	t.Helper()
	header, claims, signature := tokenParts(t, token)
	path := "/globalsecrets/user-token-signing-key-"
	if m, ok := claims["Mesh"]; ok {
		path = fmt.Sprintf("/meshes/%s/secrets/dataplane-token-signing-key-%s-", m, m)
	} else if _, ok := claims["Zone"]; ok {
		path = "/globalsecrets/zone-token-signing-key-"
	}
	secret, _ := read(t, s, path+fmt.Sprint(header["kid"]))["data"].(string)
	data, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(data)
	if block == nil {
		t.Fatalf("the key is not in PEM format")
	}
	var key *rsa.PrivateKey
	if key, err = x509.ParsePKCS1PrivateKey(block.Bytes); err != nil {
		other, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		key = other.(*rsa.PrivateKey)
	}
	digest := sha256.Sum256([]byte(token[:strings.LastIndex(token, ".")]))
	if err := rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, digest[:], signature); err != nil {
		t.Errorf("signature: %v", err)
	}
	return header, claims
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
	status, token := send(t, s, http.MethodPost, path, asJSON, []byte(body))
	if status != http.StatusOK {
		t.Fatalf("POST %s: status %d\n%s", path, status, token)
	}
	return string(token)
}

func TestTokenTimes(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Clock: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	_, claims, _ := tokenParts(t, issue(t, s, "/tokens/user", `{"name":"john","validFor":"1h"}`))
	want := map[string]any{"Name": "john", "Groups": nil, "iat": float64(noon.Unix() - 5), "nbf": float64(noon.Unix() - 5), "exp": float64(noon.Unix() + 3600)}
	delete(claims, "jti")
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

// TestTokensWithoutKeyInDirectory checks that issuing a token, which plans do too,
// does not write a key into the directory.
func TestTokensWithoutKeyInDirectory(t *testing.T) {
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
				want := map[string]any{"alg": "RS256", "kid": "1", "typ": "JWT"}
				if diff := cmp.Diff(want, header); diff != "" || claims["jti"] == nil || len(signature) != 256 {
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

// TestSigningKeys checks that a key in the directory signs, and that adding another
// one rotates it.
func TestSigningKeys(t *testing.T) {
	t.Parallel()
	s := newServer(t, t.TempDir())
	put(t, s, defaultMesh)
	for _, serial := range []int{1, 2, 10} {
		putSigningKey(t, s, "Secret", "default", fmt.Sprintf("dataplane-token-signing-key-default-%d", serial))
		if header, _ := parseToken(t, s, issue(t, s, "/tokens/dataplane", `{"mesh":"default"}`)); header["kid"] != fmt.Sprint(serial) {
			t.Errorf("header %v, want the key %d", header, serial)
		}
	}
}

// putSigningKey stores a new key; meshName is empty for a GlobalSecret.
func putSigningKey(t *testing.T, s *embedded.Server, kind, meshName, name string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	data := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	doc := map[string]any{"type": kind, "name": name, "data": base64.StdEncoding.EncodeToString(data)}
	if meshName != "" {
		doc["mesh"] = meshName
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, string(text))
}
