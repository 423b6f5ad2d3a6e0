package controlplane_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestAnswersThatEchoSecrets checks that no error, warning or log contains a secret
// that a response repeats.
func TestAnswersThatEchoSecrets(t *testing.T) {
	t.Parallel()
	const (
		password = "pass\"word<&>"
		apiKey   = "k3y/with+signs="
		value    = "db-password\nsecond line"
	)
	cert, key := pair(t)
	basic := base64.StdEncoding.EncodeToString([]byte("admin:" + password))
	document := kuma.Resource{Type: "Secret", Mesh: "default", Name: "db", Body: map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(value))}}
	sent := map[string]string{
		"token": token, "header": apiKey, "basic": basic, "password": password, "decoded": "admin:" + password,
		"key": key, "document": document.Body["data"].(string), "decoded document": value, //nolint:forcetypeassert // above
	}
	answers := map[string]func(w http.ResponseWriter, secret string){
		"text":           func(w http.ResponseWriter, s string) { answer(w, 500, "failed for "+s) },
		"cut off text":   func(w http.ResponseWriter, s string) { answer(w, 500, strings.Repeat("x", 190)+" "+s) },
		"JSON":           func(w http.ResponseWriter, s string) { answer(w, 418, `{"authorization":`+quoteJSON(s)+`}`) },
		"quoted":         func(w http.ResponseWriter, s string) { answer(w, 502, fmt.Sprintf("bad header %q", s)) },
		"title":          func(w http.ResponseWriter, s string) { answer(w, 500, stdError(500, s)) },
		"forbidden":      func(w http.ResponseWriter, s string) { answer(w, 403, detailed(403, s)) },
		"conflict":       func(w http.ResponseWriter, s string) { answer(w, 409, detailed(409, s)) },
		"not allowed":    func(w http.ResponseWriter, s string) { answer(w, 405, detailed(405, s)) },
		"invalid":        func(w http.ResponseWriter, s string) { answer(w, 400, detailed(400, s)) },
		"violation":      func(w http.ResponseWriter, s string) { answer(w, 400, violating("spec.data", s)) },
		"field":          func(w http.ResponseWriter, s string) { answer(w, 400, violating(s, "is odd")) },
		"field, implied": func(w http.ResponseWriter, s string) { answer(w, 400, violating("", s+" in body is odd")) },
		"warning":        func(w http.ResponseWriter, s string) { answer(w, 201, `{"warnings":[`+quoteJSON("odd: "+s)+`]}`) },
		"other resource": func(w http.ResponseWriter, s string) {
			answer(w, 200, `{"type":"Secret","mesh":"default","name":`+quoteJSON(s)+`}`)
		},
		"other kind": func(w http.ResponseWriter, s string) {
			answer(w, 200, `{"type":`+quoteJSON(s)+`,"mesh":"default","name":"db"}`)
		},
		"redirect": func(w http.ResponseWriter, s string) {
			w.Header().Set("Location", "/"+strings.NewReplacer("\n", "", " ", "", "%", "").Replace(s))
			w.WriteHeader(302)
		},
		"no HTTP": func(w http.ResponseWriter, s string) {
			c, _, _ := w.(http.Hijacker).Hijack() //nolint:forcetypeassert // of httptest
			_, _ = c.Write([]byte(s + "\r\n\r\n"))
			_ = c.Close()
		},
	}
	for of, respond := range answers {
		for what, secret := range sent {
			t.Run(of+", "+what, func(t *testing.T) {
				t.Parallel()
				endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, secret) })
				var logged strings.Builder
				config := controlplane.Config{
					Endpoint: endpoint, MaxRetries: -1,
					Token: token, Headers: map[string]string{"X-Api-Key": apiKey},
					TLS: controlplane.TLS{ClientCert: cert, ClientKey: key},
					Log: func(_ context.Context, a controlplane.Attempt) { fmt.Fprintln(&logged, a.Err) },
				}
				if what != "token" {
					config.Token, config.Headers["Authorization"] = "", "Basic "+basic
				}
				c := client(t, config)
				_, warnings, put := c.Put(t.Context(), kinds.Secret, document)
				seen := fmt.Sprint(put, warnings)
				if !strings.Contains(what, "document") { // a read does not send it
					_, get := c.Get(t.Context(), kinds.Secret, "default", "db")
					seen += fmt.Sprint(get)
				}
				seen += logged.String()
				for _, part := range append(strings.Split(strings.TrimSpace(secret), "\n"), "word<") {
					if strings.HasPrefix(part, "-----") {
						continue
					}
					for _, form := range []string{part, part[:min(8, len(part))], strings.Trim(quoteJSON(part), `"`), strings.Trim(fmt.Sprintf("%q", part), `"`)} {
						if strings.Contains(seen, form) {
							t.Errorf("%q is shown in %q", form, seen)
						}
					}
				}
			})
		}
	}
}

// pair returns a certificate and its private key in PEM.
func pair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testworld.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	testworld.NoError(t, err)
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	testworld.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes}))
}

func detailed(status int, detail string) string {
	return fmt.Sprintf(`{"type":"/std-errors","status":%d,"title":"Failed","detail":%s}`, status, quoteJSON(detail))
}

func violating(field, reason string) string {
	return fmt.Sprintf(`{"type":"/std-errors","status":400,"title":"Failed","detail":"","invalid_parameters":[{"field":%s,"reason":%s}]}`, quoteJSON(field), quoteJSON(reason))
}

func quoteJSON(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}
