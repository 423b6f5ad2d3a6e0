package kinds_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestProvidedAuthority(t *testing.T) {
	t.Parallel()
	ca, caKey := certificate(t, true, 0)
	leaf, leafKey := certificate(t, false, 0)
	tests := map[string]struct {
		cert, key string
		want      bool
	}{
		"certificate and key":    {ca, caKey, true},
		"key of another":         {ca, leafKey, false},
		"no authority":           {leaf, leafKey, false},
		"certificate in the key": {ca, ca, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conf := map[string]any{"cert": map[string]any{"inlineString": tt.cert}, "key": map[string]any{"inlineString": tt.key}}
			problems := kinds.Mesh.Validate(map[string]any{"type": "Mesh", "name": "shop", "mtls": map[string]any{
				"backends": []any{map[string]any{"name": "ca", "type": "provided", "conf": conf}},
			}})
			if got := len(problems) == 0; got != tt.want {
				t.Errorf("accepted = %t, want %t: %+v", got, tt.want, problems)
			}
		})
	}
}

func TestClientCertificateOfExternalService(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t, false, 0)
	_, other := certificate(t, false, 0)
	source := func(value string) map[string]any {
		return map[string]any{"type": "InsecureInline", "insecureInline": map[string]any{"value": value}}
	}
	for given, want := range map[string]int{key: 0, other: 1} {
		problems := kinds.MeshExternalService.ValidateDesign(map[string]any{
			"type": "MeshExternalService", "mesh": "shop", "name": "bank", "spec": map[string]any{
				"match": map[string]any{"port": 443}, "endpoints": []any{map[string]any{"address": "bank.example", "port": 443}},
				"tls": map[string]any{"enabled": true, "verification": map[string]any{"clientCert": source(cert), "clientKey": source(given)}},
			},
		}, kuma.ParseRelease("3.0.1"))
		if len(problems) != want {
			t.Errorf("%d problems, want %d: %+v", len(problems), want, problems)
		}
	}
}

func certificate(t *testing.T, authority bool, usage x509.KeyUsage) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testworld.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: authority, BasicConstraintsValid: true, KeyUsage: usage}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	testworld.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	testworld.NoError(t, err)
	encode := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", keyDER)
}
