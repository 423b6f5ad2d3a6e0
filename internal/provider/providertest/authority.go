package providertest

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"testing"
	"time"
)

// IssueAuthority returns a self-signed authority and its key, in PEM format.
func IssueAuthority(t *testing.T) (certificate, key string) {
	t.Helper()
	issued, private := issueCertificate(nil, nil, time.Now().Add(24*time.Hour))
	der, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
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
