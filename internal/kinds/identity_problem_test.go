package kinds_test

import (
	"crypto/x509"
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestIdentityProblem covers why the proxies of a MeshIdentity have no certificate, as measured on 2.14.3 and the preview of 3.0
// with connected proxies.
func TestIdentityProblem(t *testing.T) {
	t.Parallel()
	own := func(content, settings string) string {
		return fmt.Sprintf("provider: {type: Bundled, bundled: {%sca: {certificate: {type: InsecureInline, insecureInline: {value: %q}}}}}",
			settings, content)
	}
	const (
		allowed   = "insecureAllowSelfSigned: true, "
		generated = "provider: {type: Bundled, bundled: {%sautogenerate: {enabled: true}}}"
		notReady  = "status: {conditions: [{type: Provider, status: 'False', reason: %s, message: no Secret}, {type: Ready, status: 'False'}]}"
		rejected  = "its authority is self-signed, and insecureAllowSelfSigned is not true"
	)
	signing, key := certificate(t, true, x509.KeyUsageCertSign)
	_, otherKey := certificate(t, true, x509.KeyUsageCertSign)
	withKey := func(key string) string {
		return strings.Replace(own(signing, allowed), "ca: {", fmt.Sprintf("ca: {privateKey: {type: InsecureInline, insecureInline: {value: %q}}, ", key), 1)
	}
	agreeing, _ := certificate(t, true, x509.KeyUsageCertSign|x509.KeyUsageKeyAgreement)
	plain, _ := certificate(t, true, 0)
	leaf, _ := certificate(t, false, x509.KeyUsageCertSign)
	bySecret := "provider: {type: Bundled, bundled: {ca: {certificate: {type: Secret, secretRef: {kind: Secret, name: ca}}}}}"
	for _, tt := range []struct {
		name, provider, status string
		on2, on3               string
	}{
		{name: "no provider", on2: "it has no provider", on3: "it has no provider"},
		{name: "another issuer", provider: "provider: {type: Spire, spire: {}}"},
		{name: "generated", provider: fmt.Sprintf(generated, allowed)},
		{name: "generated and not allowed", provider: fmt.Sprintf(generated, ""), on2: rejected, on3: rejected},
		{name: "own", provider: own(signing, allowed)},
		{name: "own with its key", provider: withKey(key)},
		{name: "own with another key", provider: withKey(otherKey), on2: kinds.OtherKey, on3: kinds.OtherKey},
		{name: "own and not allowed", provider: own(signing, ""), on2: rejected, on3: rejected},
		{
			name: "without key usage", provider: own(plain, allowed),
			on3: "its authority does not have the key usage keyCertSign",
		},
		{name: "with key agreement", provider: own(agreeing, allowed), on3: "its authority has the key usage keyAgreement"},
		{name: "no authority", provider: own(leaf, allowed), on3: "its authority does not have the basic constraint CA:TRUE"},
		{
			name: "not a certificate", provider: own("x", allowed),
			on2: "its authority is not a certificate in PEM format", on3: "its authority is not a certificate in PEM format",
		},
		{name: "in a Secret", provider: bySecret},
		{
			name: "reported", provider: bySecret, status: fmt.Sprintf(notReady, "ProviderValidationError"),
			on2: "it is not ready: no Secret", on3: "it is not ready: no Secret",
		},
		{name: "in another mode of the mesh", provider: bySecret, status: fmt.Sprintf(notReady, "MeshServicesDisabled")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			document := strings.Join([]string{"type: MeshIdentity\nmesh: m\nname: i\nspec: {" + tt.provider + "}", tt.status}, "\n")
			r := testworld.Resources(t, document)[0]
			for release, want := range map[kuma.Release]string{kuma.Newest2(): tt.on2, {Major: 3}: tt.on3} {
				if got := kinds.IdentityProblem(r, release); got != want {
					t.Errorf("on %s: %q, want %q", release, got, want)
				}
			}
		})
	}
}

// TestIssuesInvalid covers authorities whose certificates proxies reject, although a control plane of Kuma 2 accepts them.
func TestIssuesInvalid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		authority bool
		usage     x509.KeyUsage
		want      bool
	}{
		"for certificates": {true, x509.KeyUsageCertSign, false},
		"for anything":     {true, 0, false},
		"for other things": {true, x509.KeyUsageDigitalSignature, true},
		"not an authority": {false, x509.KeyUsageCertSign, true},
	} {
		content, _ := certificate(t, tt.authority, tt.usage)
		r := testworld.Resources(t, fmt.Sprintf("{type: MeshIdentity, mesh: m, name: i, spec: {provider: {bundled: {ca: {certificate: {insecureInline: {value: %q}}}}}}}", content))[0]
		if got := kinds.IssuesInvalid(r); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
