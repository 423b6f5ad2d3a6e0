package managed_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

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

	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+mtls("    skip_validation = true\n"))
	c.Must(t, "apply", "-auto-approve")
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+mtls(""))
	c.Must(t, "apply", "-auto-approve")
	c.PlanIsEmpty(t)

	// Take over, then destroy and create again.
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+providertest.AllConfiguration)
	if err := os.Remove(filepath.Join(c.Dir, "terraform.tfstate")); err != nil {
		t.Fatal(err)
	}
	c.Must(t, "apply", "-auto-approve")
	text := c.Output(t, "configuration")
	if want := `# Before this is created again: .* Set "skip_validation" of "mtls" to true`; !regexp.MustCompile(want).MatchString(text) {
		t.Errorf("the configuration does not match %s:\n%s", want, text)
	}
	taken := func(skip string) string {
		text := regexp.MustCompile(`(?s)resource "kuma_(hostname_generator|zone|global_secret)".*?\n}\n\nimport .*?\n}\n`).ReplaceAllString(text, "")
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
