package controlplane_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
)

// TestAdvice checks that the error about a server that cannot be reached says
// what to do.
func TestAdvice(t *testing.T) {
	t.Parallel()
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for name, test := range map[string]struct {
		config controlplane.Config
		want   string
	}{
		"closed port":  {controlplane.Config{Endpoint: closed.URL}, "Check that the control plane is running"},
		"slow":         {controlplane.Config{Endpoint: slow, RequestTimeout: 20 * time.Millisecond}, "increase the request timeout"},
		"unknown host": {controlplane.Config{Endpoint: "http://cp", Transport: fails(&net.DNSError{Err: "no such host", Name: "cp", IsNotFound: true})}, "Check the host name"},
		"other error":  {controlplane.Config{Endpoint: "http://cp", Transport: fails(errors.New("strange"))}, "Check the endpoint"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config.MaxRetries = 1
			_, err := client(t, test.config).Kinds(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "GET /_resources: ") || !strings.Contains(err.Error(), " after 2 attempts") {
				t.Errorf("Kinds() = %v, want method, path, two attempts and %q", err, test.want)
			}
		})
	}
}

// TestAdviceWithoutRetry checks errors that a retry cannot fix.
func TestAdviceWithoutRetry(t *testing.T) {
	t.Parallel()
	answered := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	plain := httptest.NewServer(answered)
	t.Cleanup(plain.Close)
	encrypted := httptest.NewTLSServer(answered)
	t.Cleanup(encrypted.Close)
	for name, test := range map[string]struct{ endpoint, want string }{
		"https at the port for http": {strings.Replace(plain.URL, "http:", "https:", 1), "Use http:// in the endpoint"},
		"http at the port for https": {strings.Replace(encrypted.URL, "https:", "http:", 1), "Use https:// in the endpoint"},
		"unknown authority":          {encrypted.URL, "Trust the authority"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, controlplane.Config{Endpoint: test.endpoint, MaxRetries: 1}).Kinds(t.Context())
			var unreachable *controlplane.UnreachableError
			if !errors.As(err, &unreachable) || unreachable.Attempts != 1 || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Kinds() = %v, want one attempt and %q", err, test.want)
			}
		})
	}
}

// TestPathInsteadOfPEM checks that the path of a file in place of its content is
// recognized.
func TestPathInsteadOfPEM(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tls  controlplane.TLS
		want string
		not  string
	}{
		"ca":      {tls: controlplane.TLS{CA: "/etc/kuma/ca.pem"}, want: `ca_certificate = file("ca.pem")`},
		"client":  {tls: controlplane.TLS{ClientCert: "cert.pem", ClientKey: "key.pem"}, want: `client_key = file("client-key.pem")`},
		"content": {tls: controlplane.TLS{CA: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}, want: "contains no certificate in PEM format", not: "file("},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := controlplane.New(controlplane.Config{Endpoint: "https://localhost", TLS: test.tls})
			if err == nil || !strings.Contains(err.Error(), test.want) || test.not != "" && strings.Contains(err.Error(), test.not) {
				t.Errorf("New() = %v, want %q and not %q", err, test.want, test.not)
			}
		})
	}
}

// TestRejectedToken checks that the errors about a token say whether it is
// expired or missing.
func TestRejectedToken(t *testing.T) {
	t.Parallel()
	jwt := func(exp time.Time) string {
		return "e30." + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d}`, exp.Unix())) + ".c2ln"
	}
	expired := time.Date(2025, 3, 4, 22, 1, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		token  string
		status int
		want   string
	}{
		"expired":         {jwt(expired), http.StatusUnauthorized, "it expired at 2025-03-04 22:01:00 UTC"},
		"valid":           {jwt(time.Now().Add(time.Hour)), http.StatusUnauthorized, "it may be revoked or issued by another control plane"},
		"no JWT":          {token, http.StatusUnauthorized, "it may be revoked or issued by another control plane"},
		"anonymous":       {"", http.StatusForbidden, "and no token was sent"},
		"another user":    {token, http.StatusForbidden, "Use the token of a user with this permission"},
		"two parts":       {"a.b", http.StatusUnauthorized, "it may be revoked"},
		"malformed claim": {"e30.e30.c2ln", http.StatusUnauthorized, "it may be revoked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(test.status) })
			_, err := client(t, controlplane.Config{Endpoint: endpoint, Token: test.token}).Kinds(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Kinds() = %v, want %q", err, test.want)
			}
		})
	}
}
