package managed_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const secretMesh = providertest.RequiredProvider + `
provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
  }
}

resource "kuma_mesh" "shop" {
  name = "shop"
}
`

// storedKey reads the bytes of the secret named key from the files of the
// embedded control plane.
func storedKey(t *testing.T, c providertest.CLI) string {
	t.Helper()
	r := testworld.Resource(t, testworld.Text(t, filepath.Join(c.Dir, "mesh", kinds.Secret.Path, "shop", "key.yaml")))
	encoded, _ := r.Body["data"].(string)
	data, err := base64.StdEncoding.DecodeString(encoded)
	testworld.NoError(t, err)
	return string(data)
}

// TestWriteOnlySecret checks that a write-only value is sent when its version changes,
// is kept when something else changes, and is shown nowhere.
func TestWriteOnlySecret(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	config := func(value, version, label string) string {
		return secretMesh + `
resource "kuma_secret" "key" {
  mesh   = kuma_mesh.shop.name
  name   = "key"
  labels = { team = "` + label + `" }

  data_wo         = "` + value + `"
  data_wo_version = ` + version + `
}
`
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": config("first-value", "1", "edge")})
	apply := func(files string) {
		t.Helper()
		c.Apply(t, files)
	}
	apply(config("first-value", "1", "edge"))
	if got := storedKey(t, c); got != "first-value" {
		t.Errorf("stored %q, want the first value", got)
	}
	apply(config("second-value", "1", "payments"))
	if got := storedKey(t, c); got != "first-value" {
		t.Errorf("stored %q, want the first value, because the version is the same", got)
	}
	apply(config("second-value", "2", "payments"))
	if got := storedKey(t, c); got != "second-value" {
		t.Errorf("stored %q, want the second value", got)
	}
	if _, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("there is something left to do")
	}
	state, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	testworld.NoError(t, err)
	for _, secret := range []string{"first-value", "second-value"} {
		if strings.Contains(string(state), secret) || strings.Contains(string(state), base64.StdEncoding.EncodeToString([]byte(secret))) {
			t.Errorf("the state holds %q", secret)
		}
	}
}

// TestSecretIsNotShown checks that logs and plans do not contain the value in any
// form, and that the state contains only what the user set.
func TestSecretIsNotShown(t *testing.T) {
	t.Parallel()
	const value, written = "kept-in-the-state", "never-kept-anywhere"
	c := providertest.NewCLI(t, map[string]string{"main.tf": secretMesh + `
resource "kuma_secret" "plain" {
  mesh = kuma_mesh.shop.name
  name = "plain"
  data = "` + value + `"
}
variable "written" {
  type      = string
  ephemeral = true
}
resource "kuma_secret" "written" {
  mesh            = kuma_mesh.shop.name
  name            = "written"
  data_wo         = var.written
  data_wo_version = 1
}
data "kuma_resources" "secrets" {
  type       = "Secret"
  depends_on = [kuma_secret.plain, kuma_secret.written]
}
`})
	log := filepath.Join(c.Dir, "trace.log")
	c.SeparateProcess(t)
	c.Env = append(c.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log, "TF_VAR_written="+written)
	var seen strings.Builder
	seen.WriteString(c.Must(t, "plan", "-out=plan"))
	planned := c.Must(t, "show", "-json", "plan")
	seen.WriteString(c.Must(t, "apply", "plan"))
	c.Must(t, "destroy", "-auto-approve")
	seen.WriteString(testworld.Text(t, log))
	for _, secret := range []string{value, written} {
		for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
			if strings.Contains(seen.String(), form) {
				t.Errorf("a log or plan shows %q", form)
			}
			if form != value && strings.Contains(planned, form) {
				t.Errorf("the plan holds %q", form)
			}
		}
	}
}

// TestSecretForms checks that text and binary values are distinguished when they are
// read, and that a change by another client is repaired.
func TestSecretForms(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + providertest.SharedMesh + `
resource "kuma_secret" "bytes" {
  mesh        = kuma_mesh.shop.name
  name        = "bytes"
  data_base64 = "/u3+7QAAAAI="
}
resource "kuma_secret" "text" {
  mesh = kuma_mesh.shop.name
  name = "text"
  data = "plain"
}
data "kuma_secret" "bytes" {
  mesh = kuma_mesh.shop.name
  name = kuma_secret.bytes.name
}
output "bytes" {
  value     = [data.kuma_secret.bytes.data == null, data.kuma_secret.bytes.data_base64]
  sensitive = true
}
`})
	c.Must(t, "apply", "-auto-approve")
	if got := strings.TrimSpace(c.Must(t, "output", "-json", "bytes")); got != `[true,"/u3+7QAAAAI="]` {
		t.Errorf("the data source shows %s", got)
	}
	c.Must(t, "state", "rm", "kuma_secret.bytes")
	c.Must(t, "import", "kuma_secret.bytes", "shop/bytes")
	if out := c.Must(t, "plan"); !strings.Contains(out, "Update changes only the state") {
		t.Errorf("the plan after an import writes something:\n%s", out)
	}
	c.Must(t, "apply", "-auto-approve")
	other := kuma.Resource{Type: "Secret", Mesh: "shop", Name: "text", Body: map[string]any{"data": "/u3+7Q=="}}
	cp.Put(t, other)
	if _, code := c.Run(t, "plan", "-detailed-exitcode"); code != 2 {
		t.Errorf("the change by another client is not detected")
	}
	c.Must(t, "apply", "-auto-approve")
	stored, err := cp.Client.Get(context.Background(), kinds.Secret, "shop", "text")
	if err != nil || stored.Body["data"] != base64.StdEncoding.EncodeToString([]byte("plain")) {
		t.Errorf("stored %v, %v", stored.Body, err)
	}
}

func TestSecretMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	tests := map[string]struct {
		arguments string
		want      []string
	}{
		"twice":           {"data = \"a\"\ndata_base64 = \"YQ==\"", []string{"Conflicting arguments", "conflict with each other"}},
		"no version":      {"data_wo = \"a\"", []string{"Missing write-only value or version"}},
		"version alone":   {"data_wo_version = 1", []string{"Missing write-only value or version"}},
		"no base64":       {"data_base64 = \"hidden value\"", []string{"data_base64", "is not valid base64"}},
		"without padding": {"data_base64 = \"aGVsbG8\"", []string{"base64 (standard encoding with"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCLI(t, map[string]string{"main.tf": secretMesh + "resource \"kuma_secret\" \"key\" {\n mesh = \"shop\"\nname = \"key\"\n" + test.arguments + "\n}\n"})
			out, code := c.Run(t, "validate")
			if code == 0 {
				t.Fatalf("accepted:\n%s", out)
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing in:\n%s", want, out)
				}
			}
			if strings.Contains(out, "is \"hidden value\"") {
				t.Errorf("the message quotes the secret:\n%s", out)
			}
		})
	}
}

func TestSecretInManifest(t *testing.T) {
	t.Parallel()
	c := providertest.NewCLI(t, map[string]string{"main.tf": secretMesh + `
resource "kuma_manifest" "key" {
  manifest = { type = "Secret", mesh = kuma_mesh.shop.name, name = "key", data = "aGVsbG8=" }
}
`})
	if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "Manifest contains sensitive values") || !strings.Contains(out, "kuma_secret") {
		t.Errorf("there is no warning:\n%s", out)
	}
	if got := storedKey(t, c); got != "hello" {
		t.Errorf("stored %q", got)
	}
}
