package providertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// IssueCertificate issues a certificate for this machine; one without issuer is an
// authority.
func IssueCertificate(issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey, until time.Time) (*x509.Certificate, *ecdsa.PrivateKey) {
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
	issued, private := IssueCertificate(nil, nil, time.Now().Add(24*time.Hour))
	der, err := x509.MarshalECPrivateKey(private)
	testworld.NoError(t, err)
	text := func(kind string, content []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
	}
	return text("CERTIFICATE", issued.Raw), text("EC PRIVATE KEY", der)
}

// TrustFor returns a MeshTrust with an authority that expires after a time.
func TrustFor(after time.Duration) string {
	issued, _ := IssueCertificate(nil, nil, time.Now().Add(after))
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issued.Raw})
	return fmt.Sprintf("{type: MeshTrust, mesh: shop, name: expiring, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: %q}}]}}",
		text)
}
