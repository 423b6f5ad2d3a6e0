package provider_test

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// trustFor returns a MeshTrust with an authority that expires after a time.
func trustFor(after time.Duration) string {
	issued, _ := issueCertificate(nil, nil, time.Now().Add(after))
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issued.Raw})
	return fmt.Sprintf("{type: MeshTrust, mesh: shop, name: expiring, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: %q}}]}}", text)
}

// TestAuthoritiesOfSecrets checks that the expiry of an authority is read from a Secret, of
// which neither the plan nor the state contains anything.
func TestAuthoritiesOfSecrets(t *testing.T) {
	t.Parallel()
	needCLI(t)
	cp := newTestControlPlane(t, since("2.12"))
	certificate, key := issueAuthority(t)
	secret := base64.StdEncoding.EncodeToString([]byte(key + certificate))
	identity := "{type: MeshIdentity, mesh: shop, name: %[1]s, spec: {selector: {dataplane: {matchLabels: {app: none}}}, spiffeID: {trustDomain: td, path: /none}, provider: {type: Bundled, bundled: {insecureAllowSelfSigned: true, meshTrustCreation: Disabled, ca: {certificate: {type: Secret, secretRef: {kind: Secret, name: %[1]s}}, privateKey: {type: Secret, secretRef: {kind: Secret, name: %[1]s}}}}}}}"
	for _, r := range testworld.Resources(t, strings.Join([]string{
		"{type: Mesh, name: shop, meshServices: {mode: Exclusive}}", "{type: Secret, mesh: shop, name: own, data: " + secret + "}",
		fmt.Sprintf(identity, "own"), fmt.Sprintf(identity, "lost"),
	}, "\n---\n")) {
		if _, err := cp.Resources(cp.kind(r.Type)).Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	c := newCLI(t, map[string]string{"main.tf": requiredProvider + cp.config + `
data "kuma_proxies" "shop" {
  mesh = "shop"
}
output "authorities" {
  value = [for a in data.kuma_proxies.shop.authorities : join(" ", [
    a.kind, "${a.name}:", a.secret, coalesce(a.subject, "-"), coalesce(try(timecmp(a.expires, plantimestamp()), null), 0), coalesce(a.problem, "-"),
  ])]
}
`})
	plan := c.must(t, "apply", "-auto-approve")
	want := map[string]any{"authorities": []any{`MeshIdentity lost: lost - 0 There is no Secret "lost".`, "MeshIdentity own: own CN=test 1 -"}}
	if diff := cmp.Diff(want, c.outputs(t)); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	state, err := os.ReadFile(filepath.Join(c.dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{secret[:40], strings.Split(key, "\n")[1], strings.Split(certificate, "\n")[1]} {
		if strings.Contains(string(state)+plan, content) {
			t.Errorf("the state or the plan contains %q", content)
		}
	}
}
