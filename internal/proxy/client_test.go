package proxy_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOtherKey shows what a proxy gets if the private key of its MeshIdentity does not belong to the certificate.
func TestOtherKey(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testworld.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	testworld.NoError(t, err)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	documents := fmt.Sprintf(`
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web, labels: {kuma.io/workload: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}
---
{type: MeshIdentity, mesh: m, name: i, spec: {selector: {dataplane: {}}, spiffeID: {trustDomain: td}, provider: {type: Bundled, bundled: {
  insecureAllowSelfSigned: true, ca: {certificate: {type: InsecureInline, insecureInline: {value: %q}}, privateKey: {type: InsecureInline, insecureInline: {value: none}}}}}}}
`, certificate)
	for release, broken := range map[kuma.Release]bool{kuma.Newest2(): true, rules.Newest(): false} {
		m, err := proxy.New(rules.NewSnapshotFor(release, testworld.Resources(t, documents)), "m")
		testworld.NoError(t, err)
		c := m.Client("web")
		if (c.Broken != nil) != broken || (len(c.Names) == 0) == broken || c.NotIssued == "" {
			t.Errorf("%s: %v, %q, %q", release, c.Broken, c.Names, c.NotIssued)
		}
	}
}
