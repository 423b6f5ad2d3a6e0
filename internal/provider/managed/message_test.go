package managed_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRejectedDeletionNamesTheResource checks the error about a mesh that has
// dataplanes, which the plan knows of and which still exist: Terraform shows no
// address when it destroys a resource.
func TestRejectedDeletionNamesTheResource(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t)
	typeName, config, _ := c.Config(t, "resource \"kuma_mesh\" \"shop\" {\n name = \"shop\"\n}\n")
	mesh := c.Create(t, typeName, config)
	web := kuma.Key{Type: "Dataplane", Mesh: "shop", Name: "web-1"}
	providertest.Put(t, c.Client, kuma.Resource{Type: web.Type, Mesh: web.Mesh, Name: web.Name, Body: map[string]any{"networking": map[string]any{
		"address": "10.0.0.1", "inbound": []any{map[string]any{"port": 80, "tags": map[string]any{"kuma.io/service": "web"}}},
	}}})
	none := tftypes.NewValue(mesh.Value.Type(), nil)
	cp, err := store.Open(t.Context(), c.Client, store.Options{})
	testworld.NoError(t, err)
	destroyed, err := json.Marshal(map[string]string{web.String(): cp.Resources(kinds.Dataplane).Fingerprint(c.Stored(t, web))})
	testworld.NoError(t, err)
	private, err := json.Marshal(map[string][]byte{"destroyed": destroyed})
	testworld.NoError(t, err)
	_, diags := c.Apply(t, providertest.Change{TypeName: typeName, Config: none, Prior: mesh, Planned: providertest.Instance{Value: none, Private: private}})
	const want = `Mesh "shop" was not deleted. The control plane rejected the deletion: unable to delete mesh, there are still some dataplanes attached. A mesh can be deleted when it has no Dataplanes. A global control plane learns within seconds that a zone has deleted its own: then apply again.`
	if said := providertest.Messages(diags); !strings.Contains(said, want) {
		t.Errorf("the deletion reports\n%s\nwant %s", said, want)
	}
}

// TestMessageNamesTheElementOfAList checks that a message about an element of a
// list contains its path: Terraform shows no line in a dynamic block.
func TestMessageNamesTheElementOfAList(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t, "shop")
	typeName, config, _ := c.Config(t, `resource "kuma_mesh_external_service" "pay" {
  name = "pay"
  mesh = "shop"
  spec {
    match {
      port     = 80
      protocol = "tcp"
    }
    endpoints {
      address = "10.0.0.1"
      port    = 70000
    }
  }
}`)
	const want = "spec.endpoints[0].port: "
	if said := providertest.Messages(c.Validate(t, typeName, config)); !strings.Contains(said, want) {
		t.Errorf("the validation reports\n%s\nwant %q", said, want)
	}
}

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

// TestSecretInSourceLine checks that errors and warnings about literal secrets do not
// refer to the lines of the configuration that contain them, which Terraform prints.
func TestSecretInSourceLine(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	rejecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answerWith(http.StatusUnauthorized, "application/json", unauthorized)(w, r, nil)
	}))
	t.Cleanup(rejecting.Close)
	const secret = "hunter2-hunter2"
	provider := func(arguments string) string {
		return "provider \"kuma\" {\n" + arguments + "\n}\ndata \"kuma_mesh\" \"x\" {\n  name = \"x\"\n}\n"
	}
	embedded := func(block string) string {
		return fmt.Sprintf("provider \"kuma\" {\n  embedded {\n    directory = %q\n  }\n}\n", t.TempDir()) + block
	}
	for name, test := range map[string]struct{ config, want string }{
		"rejected token":            {provider("endpoint = \"" + rejecting.URL + "\"\n token = \"" + secret + "\""), "Control plane rejected the token"},
		"token with a space":        {provider("endpoint = \"" + rejecting.URL + "\"\n token = \"a " + secret + "\""), "The token must not contain spaces"},
		"header":                    {provider("endpoint = \"" + rejecting.URL + "\"\n headers = { \"X Y\" = \"" + secret + "\" }"), "The headers must not contain \"X Y\""},
		"header without encryption": {provider("endpoint = \"http://cp.invalid\"\n headers = { \"X-Y\" = \"" + secret + "\" }\n max_retries = 0\n request_timeout = \"50ms\""), "Insecure connection"},
		"key without certificate":   {provider("endpoint = \"" + rejecting.URL + "\"\n tls {\n client_key = \"" + secret + "\"\n}"), "The client_certificate is required"},
		"key as certificate":        {provider("endpoint = \"" + rejecting.URL + "\"\n tls {\n client_certificate = \"" + secret + "\"\n client_key = \"x\"\n}"), "The client_certificate and client_key are not a valid pair"},
		"certificate without key":   {provider("endpoint = \"" + rejecting.URL + "\"\n tls {\n client_certificate = \"" + secret + "\"\n}"), "The client_key is required"},
		"key as authority":          {provider("endpoint = \"" + rejecting.URL + "\"\n tls {\n ca_certificate = \"" + secret + "\"\n}"), "The ca_certificate contains no certificate"},
		"password in the endpoint":  {provider("endpoint = \"https://admin:" + secret + "@cp.invalid\""), "must not contain a user name or password"},
		"password, no scheme":       {provider("endpoint = \"admin:" + secret + "@cp.invalid\""), "must begin with http"},
		"secret in a query":         {provider("endpoint = \"https://cp.invalid?key=" + secret + "\""), "must not have a query"},
		"password and context":      {provider("endpoint = \"https://admin:" + secret + "@cp.invalid\"\n context = \"shop\""), "context conflicts with endpoint"},
		"password and embedded":     {provider("endpoint = \"https://admin:" + secret + "@cp.invalid\"\n embedded {\n directory = \"x\"\n}"), "endpoint conflicts with an embedded block"},
		"two values of a secret":    {embedded("resource \"kuma_secret\" \"x\" {\n name = \"x\"\n data = \"" + secret + "\"\n data_base64 = \"" + secret + "\"\n}\n"), "Conflicting arguments"},
		"invalid base64":            {embedded("resource \"kuma_secret\" \"x\" {\n name = \"x\"\n data_base64 = \"" + secret + "\"\n}\n"), "base64"},
		"invalid base64, inline":    {embedded("resource \"kuma_mesh\" \"x\" {\n name = \"x\"\n mtls {\n backends {\n name = \"ca\"\n type = \"provided\"\n conf {\n key {\n inline = \"" + secret + "\"\n}\n}\n}\n}\n}\n"), "base64"},
		"manifest of a secret":      {embedded("resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"Secret\", name = \"x\", data = \"" + secret + "\" }\n}\n"), "base64"},
		"manifest, only a warning":  {embedded("resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"Secret\", name = \"x\", data = base64encode(\"" + secret + "\") }\n}\n"), "Manifest contains sensitive values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + test.config})
			out, _ := c.Run(t, "plan")
			if said := strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(out)), " "); !strings.Contains(said, test.want) {
				t.Errorf("want %q in\n%s", test.want, out)
			}
			if strings.Contains(out, secret) {
				t.Errorf("the secret is in\n%s", out)
			}
		})
	}
}
