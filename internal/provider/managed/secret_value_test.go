package managed_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// secretForm is one of the ways to manage a secret.
type secretForm struct {
	typeName string
	kind     string
	// block returns the block called key. arguments are further ones, meta is the
	// lifecycle block.
	block func(mesh, name, arguments, meta string) string
	empty string // the argument for an empty value
}

var secretForms = map[string]secretForm{
	"typed": {
		"kuma_secret", kinds.Secret.Name,
		func(mesh, name, arguments, meta string) string {
			return fmt.Sprintf("resource \"kuma_secret\" \"key\" {\n  mesh = %s\n  name = %q\n%s\n%s\n}\n", mesh, name, arguments, meta)
		}, `data = ""`,
	},
	"global": {
		"kuma_global_secret", kinds.GlobalSecret.Name,
		func(_, name, arguments, meta string) string {
			return fmt.Sprintf("resource \"kuma_global_secret\" \"key\" {\n  name = %q\n%s\n%s\n}\n", name, arguments, meta)
		}, `data = ""`,
	},
	"manifest": {
		"kuma_manifest", kinds.Secret.Name,
		func(mesh, name, arguments, meta string) string {
			return fmt.Sprintf("resource \"kuma_manifest\" \"key\" {\n  manifest = merge({\n    type = \"Secret\"\n    mesh = %s\n    name = %q\n  }, {\n%s\n})\n%s\n}\n", mesh, name, arguments, meta)
		}, `data = ""`,
	},
}

const secretMeshes = `
resource "kuma_mesh" "shop" {
  name = "shop"
}
resource "kuma_mesh" "other" {
  name = "other"
}
`

// secretTest is the argument of a test of all forms of secrets.
type secretTest struct {
	*testing.T
	secretForm
	cp     providertest.ControlPlane
	config string
}

func onAllSecrets(t *testing.T, test func(secretTest)) {
	t.Helper()
	providertest.NeedCLI(t)
	for name, f := range secretForms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewControlPlane(t)
			test(secretTest{t, f, cp, providertest.RequiredProvider + cp.Config + secretMeshes})
		})
	}
}

func (s secretTest) key(name string) kuma.Key {
	key := kuma.Key{Type: s.kind, Mesh: "shop", Name: name}
	if s.kind == kinds.GlobalSecret.Name {
		key.Mesh = ""
	}
	return key
}

// put stores a value as another client.
func (s secretTest) put(t *testing.T, name, value string) {
	t.Helper()
	key := s.key(name)
	r := kuma.Resource{Type: key.Type, Mesh: key.Mesh, Name: key.Name, Body: map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(value))}}
	s.cp.Put(t, r)
}

// isStored checks the value that is stored; "none" if the secret must not exist.
func (s secretTest) isStored(t *testing.T, name, want string) {
	t.Helper()
	key := s.key(name)
	r, err := s.cp.Client.Get(t.Context(), s.cp.Kind(key.Type), key.Mesh, key.Name)
	got := "none"
	if err == nil {
		text, _ := r.Body["data"].(string)
		data, _ := base64.StdEncoding.DecodeString(text)
		got = string(data)
	} else if !store.IsNotFound(err) {
		t.Fatal(err)
	}
	testworld.Equal(t, fmt.Sprintf("%s has the value", key), want, got)
}

// TestNewSecretNeedsValue checks that no secret is created without a value, which the
// control plane would store as an empty one.
func TestNewSecretNeedsValue(t *testing.T) {
	t.Parallel()
	onAllSecrets(t, func(s secretTest) {
		t := s.T
		const mesh = "kuma_mesh.shop.name"
		c := providertest.NewCLI(t, map[string]string{"main.tf": s.config})
		c.Must(t, "apply", "-auto-approve")
		main := func(text string) { providertest.Write(t, filepath.Join(c.Dir, "main.tf"), s.config+text) }

		main(s.block(mesh, "key", "", ""))
		c.Refused(t, `Missing secret value .* "key".* does not exist, and the configuration does not set its value`, "plan")

		// Terraform learns only during the apply that there is no value.
		late := "resource \"terraform_data\" \"late\" {\n  input = null\n}\n"
		main(late + s.block(mesh, "key", "data = terraform_data.late.id == \"\" ? \"x\" : null", ""))
		c.Refused(t, "Missing secret value", "apply", "-auto-approve")
		s.isStored(t, "key", "none")

		main(s.block(mesh, "key", s.empty, ""))
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)
		s.isStored(t, "key", "")

		// The value of an imported secret is not in the configuration.
		s.put(t, "key", "signing-key")
		main(s.block(mesh, "key", "", ""))
		c.Must(t, "apply", "-auto-approve")
		s.isStored(t, "key", "signing-key")
		key := s.key("key")
		testworld.NoError(t, s.cp.Client.Delete(t.Context(), s.cp.Kind(key.Type), key.Mesh, key.Name))
		c.Refused(t, "Missing secret value", "apply", "-auto-approve")
		s.isStored(t, "key", "none")

		overwrite := strings.Replace(s.config, "provider \"kuma\" {\n", "provider \"kuma\" {\n  concurrent_changes = \"overwrite\"\n", 1)
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), overwrite+s.block(mesh, "key", `labels = { team = "web" }`, ""))
		c.Refused(t, "Missing secret value", "apply", "-auto-approve", "-refresh=false")
		s.isStored(t, "key", "none")
	})
}

// TestReplacedSecretKeepsValue checks that a value that only the control plane has is
// not lost by any change that replaces the secret.
func TestReplacedSecretKeepsValue(t *testing.T) {
	t.Parallel()
	onAllSecrets(t, func(s secretTest) {
		t := s.T
		const mesh, value = "kuma_mesh.shop.name", "signing-key"
		c := providertest.NewCLI(t, map[string]string{"main.tf": s.config})
		c.Must(t, "apply", "-auto-approve")
		s.put(t, "key", value)
		main := func(text string) { providertest.Write(t, filepath.Join(c.Dir, "main.tf"), s.config+text) }
		imports := fmt.Sprintf("import {\n  to = %s.key\n  id = %q\n}\n", s.typeName, map[string]string{"kuma_secret": "shop/key", "kuma_global_secret": "key", "kuma_manifest": "Secret/shop/key"}[s.typeName])
		main(s.block(mesh, "key", "", "") + imports)
		c.Must(t, "apply", "-auto-approve")

		const before = "lifecycle {\n    create_before_destroy = true\n  }"
		changes := map[string]string{
			"name":                 s.block(mesh, "renamed", "", ""),
			"name, created before": s.block(mesh, "renamed", "", before),
			"name known after apply": strings.Replace(s.block(mesh, "renamed", "", ""), `"renamed"`, "terraform_data.late.output", 1) +
				"resource \"terraform_data\" \"late\" {\n  input = \"renamed\"\n}\n",
		}
		if s.kind == kinds.Secret.Name {
			changes["mesh"] = s.block("kuma_mesh.other.name", "key", "", "")
		}
		for name, block := range changes {
			main(block)
			t.Log(name)
			c.Refused(t, `Missing secret value .* would be lost`, "apply", "-auto-approve")
			s.isStored(t, "key", value)
		}

		main(s.block(mesh, "key", "", ""))
		address := s.typeName + ".key"
		c.Must(t, "apply", "-auto-approve", "-replace="+address)
		s.isStored(t, "key", value)
		c.Must(t, "taint", address)
		c.Must(t, "apply", "-auto-approve")
		s.isStored(t, "key", value)
		c.PlanIsEmpty(t)

		if s.cp.ControlPlane.Release.Kuma3() {
			return // it sets the label, whose change replaces a secret before
		}
		named := func(label string) string { return fmt.Sprintf("labels = { \"kuma.io/display-name\" = %q }", label) }
		main(s.block(mesh, "key", named("first"), ""))
		c.Must(t, "apply", "-auto-approve")
		for _, labels := range []string{named("other"), ""} {
			main(s.block(mesh, "key", labels, ""))
			c.Refused(t, `Missing secret value .* would be lost`, "apply", "-auto-approve")
			s.isStored(t, "key", value)
		}

		// With a value, everything can be replaced.
		main(s.block(mesh, "key", "data = \"bmV3\"\n    "+named("other"), ""))
		c.Must(t, "apply", "-auto-approve")
		main(s.block(mesh, "renamed", `data = "bmV3"`, ""))
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)
		s.isStored(t, "key", "none")
		c.Must(t, "destroy", "-auto-approve")
		s.isStored(t, "renamed", "none")
	})
}

// TestFailedReplacementKeepsSecret checks that a secret is stored until its replacement
// is.
func TestFailedReplacementKeepsSecret(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for name, f := range secretForms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, config := providertest.StartCounted(t)
			config = strings.Replace(config, "provider \"kuma\" {\n", "provider \"kuma\" {\n  max_retries = 0\n", 1) + secretMeshes
			cp := providertest.Connect(t, controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()}, config)
			s := secretTest{t, f, cp, config}
			c := providertest.NewCLI(t, map[string]string{"main.tf": config + s.block("kuma_mesh.shop.name", "key", `data = "b2xk"`, "")})
			c.Must(t, "apply", "-auto-approve")
			s.put(t, "key", "signing-key")
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+s.block("kuma_mesh.shop.name", "key", `labels = { team = "web" }`, ""))

			var down atomic.Bool
			server.Disturb = func(w http.ResponseWriter, r *http.Request) bool {
				fails := down.Load() && r.Method == http.MethodPut
				if fails {
					reset(w)
				}
				return fails
			}
			down.Store(true)
			c.Refused(t, "Cannot write the resource", "apply", "-auto-approve", "-replace="+s.typeName+".key")
			s.isStored(t, "key", "signing-key")
			down.Store(false)
			c.Must(t, "apply", "-auto-approve")
			c.PlanIsEmpty(t)
			s.isStored(t, "key", "signing-key")
		})
	}
}
