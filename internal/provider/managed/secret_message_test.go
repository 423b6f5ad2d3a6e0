package managed_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestMessageShowsPrivateKey validates configurations with a key in the wrong place:
// Terraform hides the values of sensitive arguments, but not in messages of a
// provider.
func TestMessageShowsPrivateKey(t *testing.T) {
	t.Parallel()
	const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN"
	for name, config := range map[string]string{
		"secret":        `resource "kuma_secret" "test" {` + "\n name = \"key\"\n data_base64 = %KEY%\n}",
		"global secret": `resource "kuma_global_secret" "test" {` + "\n name = \"key\"\n data_base64 = %KEY%\n}",
		"mesh": `resource "kuma_mesh" "test" {
  name = "shop"
  mtls {
    backends {
      name = "ca"
      type = "provided"
      conf {
        key {
          inline = %KEY%
        }
      }
    }
  }
}`,
		"external service": `resource "kuma_mesh_external_service" "test" {
  name = "pay"
  spec {
    tls {
      verification {
        client_key {
          inline = %KEY%
        }
      }
    }
  }
}`,
		"manifest of a secret": `resource "kuma_manifest" "test" {
  manifest = { type = "Secret", name = "key", data = %KEY% }
}`,
		"manifest with a key one level too high": `resource "kuma_manifest" "test" {
  manifest = { type = "Mesh", name = "shop", mtls = { backends = [{ name = "ca", type = "provided", conf = { key = %KEY% } }] } }
}`,
		"manifest with a misspelled field": `resource "kuma_manifest" "test" {
  manifest = { type = "Secret", name = "key", date = %KEY% }
}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCore(t)
			typeName, value, wrong := c.Config(t, strings.ReplaceAll(config, "%KEY%", `"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN"`))
			if wrong.HasErrors() {
				t.Fatal(wrong)
			}
			diags := c.Validate(t, typeName, value)
			said := providertest.Messages(diags)
			if !providertest.HasErrors(diags) || strings.Contains(said, key) || strings.Contains(said, "MIIEvQIBADAN") {
				t.Errorf("the configuration is said to be\n%s\nwant an error without the key", said)
			}
		})
	}
}
