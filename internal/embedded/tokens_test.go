package embedded_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
)

// sameToken compares a token with the recorded one: what it says, but for the
// time of its issue, and that it is signed with the key in the store.
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
			t.Errorf("jti %q is no UUID", id)
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
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no token", token)
	}
	for i, into := range []*map[string]any{&header, &claims} {
		data, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		decode(t, data, into)
	}
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
		t.Fatalf("the key is no PEM")
	}
	var key *rsa.PrivateKey
	if key, err = x509.ParsePKCS1PrivateKey(block.Bytes); err != nil {
		other, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		key = other.(*rsa.PrivateKey)
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, digest[:], signature); err != nil {
		t.Errorf("signature: %v", err)
	}
	return header, claims
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
	_, claims := parseToken(t, s, issue(t, s, "/tokens/user", `{"name":"john","validFor":"1h"}`))
	want := map[string]any{"Name": "john", "Groups": nil, "iat": float64(noon.Unix() - 5), "nbf": float64(noon.Unix() - 5), "exp": float64(noon.Unix() + 3600)}
	delete(claims, "jti")
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

// TestSigningKeys: the key is made once, kept, and rotated by adding another.
func TestSigningKeys(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	file := filepath.Join(directory, "secrets", "default", "dataplane-token-signing-key-default-1.yaml")
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a key before the first token")
	}
	var group sync.WaitGroup
	tokens := make([]string, 4)
	for i := range tokens {
		group.Go(func() {
			_, token := send(t, s, http.MethodPost, "/tokens/dataplane", asJSON, []byte(`{"mesh":"default"}`))
			tokens[i] = string(token)
		})
	}
	group.Wait()
	for _, token := range tokens {
		if header, _ := parseToken(t, s, token); header["kid"] != "1" {
			t.Errorf("header %v, want the key 1", header)
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the key: %v, %v, want one that only the owner can read", info, err)
	}
	var stored map[string]any
	_, body := send(t, s, http.MethodGet, "/meshes/default/secrets/dataplane-token-signing-key-default-1", nil, nil)
	decode(t, body, &stored)
	for _, serial := range []string{"2", "10"} {
		name := "dataplane-token-signing-key-default-" + serial
		doc, err := json.Marshal(map[string]any{"type": "Secret", "mesh": "default", "name": name, "data": stored["data"]})
		if err != nil {
			t.Fatal(err)
		}
		put(t, s, string(doc))
		if header, _ := parseToken(t, s, issue(t, s, "/tokens/dataplane", `{"mesh":"default"}`)); header["kid"] != serial {
			t.Errorf("header %v, want the key %s", header, serial)
		}
	}
}
