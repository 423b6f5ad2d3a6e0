package managed_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

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
			for _, text := range []string{
				"{type: Secret, mesh: shop, name: identity-root-ca, data: YQ==}", "{type: Secret, mesh: shop, name: identity-private-key, data: YQ==}",
				"{type: MeshTrust, mesh: shop, name: identity, spec: {trustDomain: shop, caBundles: [{type: Pem, pem: {value: \"-----BEGIN CERTIFICATE-----\\nYQ==\\n-----END CERTIFICATE-----\\n\"}}]}}",
			} {
				res := testworld.Resource(t, text)
				k, _ := kinds.Find(res.Type)
				if _, _, err := clientOf(t, server).Put(t.Context(), k, res); err != nil {
					t.Fatal(err)
				}
			}
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
	providertest.NeedCLI(t)
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
	providertest.NeedCLI(t)
	config, await := authorityConfig(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + generatedAuthority})
	c.Must(t, "apply", "-auto-approve")
	await()
	c.Must(t, "destroy", "-auto-approve")
}
