package managed_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
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
	testworld.Equal(t, "outputs", want, c.Outputs(t))
	state, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	testworld.NoError(t, err)
	for _, content := range []string{secret[:40], strings.Split(key, "\n")[1], strings.Split(certificate, "\n")[1]} {
		if strings.Contains(string(state)+plan, content) {
			t.Errorf("the state or the plan contains %q", content)
		}
	}
}

// TestProvidedAuthority checks that a mesh whose authority is in Secrets can be created,
// destroyed, and created again from its generated configuration by doing what the
// messages say.
func TestProvidedAuthority(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.BeforeKuma3)
	cert, key := providertest.IssueAuthority(t)
	config := providertest.RequiredProvider + cp.Config
	mesh := func(arguments string) string {
		return `
resource "kuma_mesh" "shop" {
  name                           = "shop"
  skip_creating_initial_policies = ["*"]
` + arguments + `
}
resource "kuma_secret" "cert" {
  mesh = kuma_mesh.shop.name
  name = "cert"
  data = file("cert.pem")
}
resource "kuma_secret" "key" {
  mesh = kuma_mesh.shop.name
  name = "key"
  data = file("key.pem")
}
`
	}
	mtls := func(more string) string {
		return mesh("mtls {\n" + more + "    enabled_backend = \"ca-1\"\n    backends {\n      name = \"ca-1\"\n      type = \"provided\"\n      conf {\n        cert {\n          secret = \"cert\"\n        }\n        key {\n          secret = \"key\"\n        }\n      }\n    }\n  }\n")
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + mtls(""), "cert.pem": cert, "key.pem": key})
	c.Refused(t, `Secret cannot exist yet .* Set "skip_validation" of "mtls" to true`, "apply", "-auto-approve")
	c.Refused(t, `Error: Cannot write the resource .* not found: type="Secret" .*\. If this run also creates the Secrets, set skip_validation of mtls to true`, "apply", "-auto-approve")

	c.Apply(t, config+mtls("    skip_validation = true\n"))
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+mtls(""))
	c.Must(t, "apply", "-auto-approve")
	c.PlanIsEmpty(t)

	// Take over, then destroy and create again.
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+strings.Replace(providertest.AllConfiguration, "global    = true", `mesh      = "shop"`, 1))
	testworld.NoError(t, os.Remove(filepath.Join(c.Dir, "terraform.tfstate")))
	c.Must(t, "apply", "-auto-approve")
	text := c.Output(t, "configuration")
	if want := `# Before this is created again: .* Set "skip_validation" of "mtls" to true`; !regexp.MustCompile(want).MatchString(text) {
		t.Errorf("the configuration does not match %s:\n%s", want, text)
	}
	taken := func(skip string) string {
		return strings.Replace(text, "  mtls {\n", "  mtls {\n"+skip, 1)
	}
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+taken(""))
	if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "0 added, 0 changed, 0 destroyed") {
		t.Errorf("the import changes something:\n%s", out)
	}
	c.Refused(t, `Secret "(cert|key)" of mesh "shop" was not deleted.* remove mtls, apply, and then destroy\.`, "destroy", "-auto-approve")
	destroy := func() {
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+mesh(""))
		c.Must(t, "apply", "-auto-approve", "-target=kuma_mesh.shop")
		c.Must(t, "destroy", "-auto-approve")
	}
	destroy()

	again := taken("    skip_validation = true\n")
	again = regexp.MustCompile(`(?s)import .*?\n}\n`).ReplaceAllString(again, "")
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+again)
	c.Refused(t, "Missing secret value", "plan")
	c.Env = append(c.Env, "TF_VAR_secret_cert="+cert, "TF_VAR_secret_key="+key)
	c.Must(t, "apply", "-auto-approve")
	c.PlanIsEmpty(t)
	destroy()
}

// generatedAuthority is a mesh in which a real control plane generates an authority: two
// Secrets and a MeshTrust, within five seconds (rest-api.md §10).
const generatedAuthority = `
resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_identity" "identity" {
  mesh = kuma_mesh.shop.name
  name = "identity"

  spec {
    selector {
      dataplane {
        match_labels = {}
      }
    }
    provider {
      type = "Bundled"
      bundled {
        insecure_allow_self_signed = true
        autogenerate {
          enabled = true
        }
      }
    }
  }
}
`

// authorityConfig returns the configuration of a control plane, and the function that
// waits until it has generated the authority. The embedded one does not generate it: the
// function writes it, and the control plane responds as if no client had.
func authorityConfig(t *testing.T) (config string, await func()) {
	t.Helper()
	if providertest.RealEndpoint == "" {
		server, config := providertest.StartCounted(t)
		labels := regexp.MustCompile(`"labels":\s*\{[^}]*\},?`)
		status := regexp.MustCompile(`"status":\s*\{\}`) // of the MeshTrust
		server.Disturb = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/secrets") && !strings.Contains(r.URL.Path, "/meshtrusts") {
				return false
			}
			answer := httptest.NewRecorder()
			server.Server.ServeHTTP(answer, r)
			w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
			w.WriteHeader(answer.Code)
			body := labels.ReplaceAll(answer.Body.Bytes(), nil)
			_, _ = w.Write(status.ReplaceAll(body, []byte(`"status": {"origin": {"kri": "kri_mid_shop_zone-1__identity_"}}`)))
			return true
		}
		return config, func() {
			providertest.PutDocuments(t, server, strings.Join([]string{
				"{type: Secret, mesh: shop, name: identity-root-ca, data: YQ==}", "{type: Secret, mesh: shop, name: identity-private-key, data: YQ==}",
				"{type: MeshTrust, mesh: shop, name: identity, spec: {trustDomain: shop, caBundles: [{type: Pem, pem: {value: \"-----BEGIN CERTIFICATE-----\\nYQ==\\n-----END CERTIFICATE-----\\n\"}}]}}",
			}, "\n---\n"))
		}
	}
	cp := providertest.NewControlPlane(t, providertest.Since("2.12"))
	return providertest.RequiredProvider + cp.Config, func() {
		providertest.Await(t, "the control plane generates an authority", func() bool {
			return cp.Keys(t)[kuma.Key{Type: kinds.MeshTrust.Name, Mesh: "shop", Name: "identity"}]
		})
	}
}

// TestGeneratedAuthorityIsNotTakenOver checks that the secrets and the MeshTrust that a
// control plane generates for a MeshIdentity are not part of the generated
// configuration, and that an import of one is not silent.
func TestGeneratedAuthorityIsNotTakenOver(t *testing.T) {
	t.Parallel()
	config, await := authorityConfig(t)
	first := providertest.NewCLI(t, map[string]string{"main.tf": config + generatedAuthority})
	first.Must(t, "apply", "-auto-approve")
	await()

	c := providertest.NewCLI(t, map[string]string{"main.tf": config + `
data "kuma_resources" "shop" {
  mesh    = "shop"
  include = ["configuration"]
}
output "configuration" {
  value = data.kuma_resources.shop.configuration
}
output "managed" {
  value = [for r in data.kuma_resources.shop.resources : "${r.type}/${r.name}" if r.managed_by == "control-plane" && startswith(r.name, "identity")]
}
`})
	c.Must(t, "apply", "-auto-approve")
	if got, want := strings.TrimSpace(c.Must(t, "output", "-json", "managed")), `["MeshTrust/identity","Secret/identity-private-key","Secret/identity-root-ca"]`; got != want {
		t.Errorf("the control plane manages %s, want %s", got, want)
	}
	text := c.Output(t, "configuration")
	if !strings.Contains(text, `"kuma_mesh_identity"`) || strings.Contains(text, "kuma_secret") || strings.Contains(text, "kuma_mesh_trust") {
		t.Errorf("the configuration contains the generated authority:\n%s", text)
	}

	for name, block := range map[string]string{
		"typed":    "import {\n  to = kuma_secret.key\n  id = \"shop/identity-private-key\"\n}\nresource \"kuma_secret\" \"key\" {\n  mesh = \"shop\"\n  name = \"identity-private-key\"\n}\n",
		"manifest": "import {\n  to = kuma_manifest.key\n  id = \"Secret/shop/identity-private-key\"\n}\nresource \"kuma_manifest\" \"key\" {\n  manifest = { type = \"Secret\", mesh = \"shop\", name = \"identity-private-key\" }\n}\n",
	} {
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+block)
		if out := c.Must(t, "plan"); !strings.Contains(out, "Imported resource belongs to the control plane") {
			t.Errorf("%s: the import of a generated key is silent:\n%s", name, out)
		}
	}
}

// TestMeshWithGeneratedAuthorityIsDestroyed checks that the MeshTrust that a control plane
// keeps when its MeshIdentity is deleted does not prevent the destruction of the mesh.
func TestMeshWithGeneratedAuthorityIsDestroyed(t *testing.T) {
	t.Parallel()
	config, await := authorityConfig(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + generatedAuthority})
	c.Must(t, "apply", "-auto-approve")
	await()
	c.Must(t, "destroy", "-auto-approve")
}
