package proxies_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// previousKey imports the key that the control plane has created, in order to delete it.
const previousKey = `
import {
  to = kuma_secret.previous_signing_key
  id = "m/dataplane-token-signing-key-m-1"
}
resource "kuma_secret" "previous_signing_key" {
  mesh = "m"
  name = "dataplane-token-signing-key-m-1"
}
`

// TestSigningKeyByResources rotates the signing key and revokes tokens by the example without
// actions.
func TestSigningKeyByResources(t *testing.T) {
	terraform := needTerraform(t)
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	testworld.NoError(t, err)
	t.Setenv("TF_VAR_signing_key", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)})))
	cp := start(t)
	store(t, cp, plainMesh, dataplane("web", 1))
	first, _ := issue(t, cp)
	example := strings.NewReplacer("${kuma_mesh.shop.name}", "m", "kuma_mesh.shop.name", `"m"`).Replace(testworld.Text(t, filepath.Join("..", "..", "..", "examples", "tasks", "signing-key.tf")))
	run, dir := newTerraformIn(t, terraform, fmt.Sprintf(`
provider "kuma" {
  endpoint = %q
}
`, cp.Endpoint)+example)
	apply := func(id, previous string) {
		t.Helper()
		testworld.NoError(t, os.WriteFile(filepath.Join(dir, "previous.tf"), []byte(previous), 0o600))
		if out, err := run("apply", "-auto-approve", "-no-color", fmt.Sprintf("-var=revoked_tokens=[%q]", id)); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if state := testworld.Text(t, filepath.Join(dir, "terraform.tfstate")); strings.Contains(state, "PRIVATE KEY") {
			t.Error("the state contains a key")
		}
		time.Sleep(uncached)
	}
	apply("none", "")
	second, id := issue(t, cp)
	rejectedAs(t, cp, "a token of the previous key", first, "")
	rejectedAs(t, cp, "a token of the new key", second, "")
	apply(id, previousKey)
	rejectedAs(t, cp, "a token of the imported key", first, "")
	rejectedAs(t, cp, "a revoked token of the new key", second, "token is revoked")
	apply(id, "")
	rejectedAs(t, cp, "a token of the deleted key", first, "there is no signing key with KID 1")
	third, _ := issue(t, cp)
	rejectedAs(t, cp, "another token of the new key", third, "")
}
