package managed_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestAuthoritiesOfSecrets checks that the expiry of an authority is read from a Secret, of
// which neither the plan nor the state contains anything.
func TestAuthoritiesOfSecrets(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Since("2.12"))
	certificate, key := providertest.IssueAuthority(t)
	secret := base64.StdEncoding.EncodeToString([]byte(key + certificate))
	identity := "{type: MeshIdentity, mesh: shop, name: %[1]s, spec: {selector: {dataplane: {matchLabels: {app: none}}}, spiffeID: {trustDomain: td, path: /none}, provider: {type: Bundled, bundled: {insecureAllowSelfSigned: true, meshTrustCreation: Disabled, ca: {certificate: {type: Secret, secretRef: {kind: Secret, name: %[1]s}}, privateKey: {type: Secret, secretRef: {kind: Secret, name: %[1]s}}}}}}}"
	for _, r := range testworld.Resources(t, strings.Join([]string{
		"{type: Mesh, name: shop, meshServices: {mode: Exclusive}}", "{type: Secret, mesh: shop, name: own, data: " + secret + "}",
		fmt.Sprintf(identity, "own"), fmt.Sprintf(identity, "lost"),
	}, "\n---\n")) {
		if _, err := cp.Resources(cp.Kind(r.Type)).Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + `
data "kuma_proxies" "shop" {
  mesh = "shop"
}
output "authorities" {
  value = [for a in data.kuma_proxies.shop.authorities : join(" ", [
    a.kind, "${a.name}:", a.secret, coalesce(a.subject, "-"), coalesce(try(timecmp(a.expires, plantimestamp()), null), 0), coalesce(a.problem, "-"),
  ])]
}
`})
	plan := c.Must(t, "apply", "-auto-approve")
	want := map[string]any{"authorities": []any{`MeshIdentity lost: lost - 0 There is no Secret "lost".`, "MeshIdentity own: own CN=test 1 -"}}
	if diff := cmp.Diff(want, c.Outputs(t)); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	state, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{secret[:40], strings.Split(key, "\n")[1], strings.Split(certificate, "\n")[1]} {
		if strings.Contains(string(state)+plan, content) {
			t.Errorf("the state or the plan contains %q", content)
		}
	}
}
