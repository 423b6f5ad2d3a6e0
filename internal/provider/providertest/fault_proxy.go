package providertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// FaultProxy is a proxy in front of a control plane that injects faults, over HTTPS.
type FaultProxy struct {
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

// NewFaultProxy starts a proxy in front of a control plane.
func NewFaultProxy(t *testing.T, controlPlane http.Handler) *FaultProxy {
	t.Helper()
	certificates := TestCertificates()
	p := &FaultProxy{controlPlane: controlPlane, CA: certificates.ca, certificate: certificates.Good}
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
func (p *FaultProxy) Hit(method string, times int, all bool, fault func(http.ResponseWriter, *http.Request, http.Handler)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.method, p.times, p.all, p.fault, p.hits = method, times, all, fault, 0
}

// Present makes the proxy use another certificate from now on.
func (p *FaultProxy) Present(c tls.Certificate) {
	p.mu.Lock()
	p.certificate = c
	p.mu.Unlock()
	p.Server.CloseClientConnections()
}

// Heal ends all faults and returns how many requests were hit.
func (p *FaultProxy) Heal() int {
	p.Present(TestCertificates().Good)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.times = 0
	return p.hits
}

func (p *FaultProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

// AnswerWith responds itself, without the control plane.
func AnswerWith(status int, contentType, body string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// After replaces the response of the control plane.
func After(spoil func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder)) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, controlPlane http.Handler) {
		answer := httptest.NewRecorder()
		controlPlane.ServeHTTP(answer, r)
		spoil(w, r, answer)
	}
}

// Reset breaks the connection so that the client gets a reset.
func Reset(w http.ResponseWriter) {
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

// Truncate announces the whole response, sends half of it and closes the connection.
func Truncate(w http.ResponseWriter, _ *http.Request, answer *httptest.ResponseRecorder) {
	body := answer.Body.Bytes()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", big.NewInt(int64(len(body))).String())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body[:len(body)/2])
	panic(http.ErrAbortHandler)
}

// Certificates are certificates of servers, and the authority that issued the good one.
type Certificates struct {
	ca                           string
	Good, Expired, OfOtherIssuer tls.Certificate
}

// TestCertificates are generated once: a trusted one, an expired one, and one of an
// untrusted authority.
var TestCertificates = sync.OnceValue(func() Certificates {
	now := time.Now()
	ca, caKey := issueCertificate(nil, nil, now.Add(24*time.Hour))
	other, otherKey := issueCertificate(nil, nil, now.Add(24*time.Hour))
	server := func(issuer *x509.Certificate, key *ecdsa.PrivateKey, until time.Time) tls.Certificate {
		c, k := issueCertificate(issuer, key, until)
		return tls.Certificate{Certificate: [][]byte{c.Raw}, PrivateKey: k}
	}
	return Certificates{
		ca:            string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Raw})),
		Good:          server(ca, caKey, now.Add(24*time.Hour)),
		Expired:       server(ca, caKey, now.Add(-24*time.Hour)),
		OfOtherIssuer: server(other, otherKey, now.Add(24*time.Hour)),
	}
})

// issueCertificate issues a certificate for this machine; one without issuer is an
// authority.
func issueCertificate(issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey, until time.Time) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if issuer == nil {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
		issuer, issuerKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		panic(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return c, key
}

// IssueAuthority returns a self-signed authority and its key, in PEM format.
func IssueAuthority(t *testing.T) (certificate, key string) {
	t.Helper()
	issued, private := issueCertificate(nil, nil, time.Now().Add(24*time.Hour))
	der, err := x509.MarshalECPrivateKey(private)
	testworld.NoError(t, err)
	text := func(kind string, content []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
	}
	return text("CERTIFICATE", issued.Raw), text("EC PRIVATE KEY", der)
}

// TrustFor returns a MeshTrust with an authority that expires after a time.
func TrustFor(after time.Duration) string {
	issued, _ := issueCertificate(nil, nil, time.Now().Add(after))
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issued.Raw})
	return fmt.Sprintf("{type: MeshTrust, mesh: shop, name: expiring, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: %q}}]}}", text)
}
