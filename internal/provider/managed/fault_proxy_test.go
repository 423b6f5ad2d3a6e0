package managed_test

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// faultProxy is a proxy in front of a control plane that injects faults, over HTTPS.
type faultProxy struct {
	Server       *httptest.Server
	controlPlane http.Handler
	CA           string // PEM, to be trusted by clients

	mu          sync.Mutex
	certificate tls.Certificate
	method      string // of the requests that are hit
	fault       func(w http.ResponseWriter, r *http.Request, controlPlane http.Handler)
	times       int  // how many more requests are hit
	all         bool // those with another method too, from the first on
	hits        int
}

// newFaultProxy starts a proxy in front of a control plane.
func newFaultProxy(t *testing.T, controlPlane http.Handler) *faultProxy {
	t.Helper()
	trusted := testCertificates()
	p := &faultProxy{controlPlane: controlPlane, CA: trusted.ca, certificate: trusted.Good}
	p.Server = httptest.NewUnstartedServer(p)
	p.Server.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs handshakes that are expected to fail
	p.Server.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return &tls.Config{Certificates: []tls.Certificate{p.certificate}}, nil //nolint:gosec // a server for tests
	}}
	p.Server.StartTLS()
	t.Cleanup(p.Server.Close)
	return p
}

// Hit makes the next requests with a method fail; with all, also every request that
// follows the first of them.
func (p *faultProxy) Hit(method string, times int, all bool, fault func(http.ResponseWriter, *http.Request, http.Handler)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.method, p.times, p.all, p.fault, p.hits = method, times, all, fault, 0
}

// Present makes the proxy use another certificate from now on.
func (p *faultProxy) Present(c tls.Certificate) {
	p.mu.Lock()
	p.certificate = c
	p.mu.Unlock()
	p.Server.CloseClientConnections()
}

// Heal ends all faults and returns how many requests were hit.
func (p *faultProxy) Heal() int {
	p.Present(testCertificates().Good)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.times = 0
	return p.hits
}

func (p *faultProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	fault := p.fault
	hit := p.times > 0 && (p.method == r.Method || p.all && p.hits > 0)
	if hit {
		p.times--
		p.hits++
	}
	p.mu.Unlock()
	if !hit {
		fault = func(w http.ResponseWriter, r *http.Request, controlPlane http.Handler) { controlPlane.ServeHTTP(w, r) }
	}
	fault(w, r, p.controlPlane)
}

// The faults of the proxy.

// answerWith responds itself, without the control plane.
func answerWith(status int, contentType, body string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// afterwards replaces the response of the control plane.
func afterwards(spoil func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder)) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, controlPlane http.Handler) {
		answer := httptest.NewRecorder()
		controlPlane.ServeHTTP(answer, r)
		spoil(w, r, answer)
	}
}

// reset breaks the connection so that the client gets a reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// truncate announces the whole response, sends half of it and closes the connection.
func truncate(w http.ResponseWriter, _ *http.Request, answer *httptest.ResponseRecorder) {
	body := answer.Body.Bytes()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", big.NewInt(int64(len(body))).String())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body[:len(body)/2])
	panic(http.ErrAbortHandler)
}

// certificates are certificates of servers, and the authority that issued the good one.
type certificates struct {
	ca                           string
	Good, Expired, OfOtherIssuer tls.Certificate
}

// testCertificates are generated once: a trusted one, an expired one, and one of an
// untrusted authority.
var testCertificates = sync.OnceValue(func() certificates {
	now := time.Now()
	ca, caKey := providertest.IssueCertificate(nil, nil, now.Add(24*time.Hour))
	other, otherKey := providertest.IssueCertificate(nil, nil, now.Add(24*time.Hour))
	server := func(issuer *x509.Certificate, key *ecdsa.PrivateKey, until time.Time) tls.Certificate {
		c, k := providertest.IssueCertificate(issuer, key, until)
		return tls.Certificate{Certificate: [][]byte{c.Raw}, PrivateKey: k}
	}
	return certificates{
		ca:            string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Raw})),
		Good:          server(ca, caKey, now.Add(24*time.Hour)),
		Expired:       server(ca, caKey, now.Add(-24*time.Hour)),
		OfOtherIssuer: server(other, otherKey, now.Add(24*time.Hour)),
	}
})
