package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestProvidedAuthority checks that a mesh whose authority is in Secrets can be created,
// destroyed, and created again from its generated configuration by doing what the
// messages say.
func TestProvidedAuthority(t *testing.T) {
	t.Parallel()
	needCLI(t)
	cp := newTestControlPlane(t, beforeKuma3)
	cert, key := issueAuthority(t)
	config := requiredProvider + cp.config
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
	c := newCLI(t, map[string]string{"main.tf": config + mtls(""), "cert.pem": cert, "key.pem": key})
	c.refused(t, `Secret cannot exist yet .* Set "skip_validation" of "mtls" to true`, "apply", "-auto-approve")
	c.refused(t, `Error: Cannot write the resource .* not found: type="Secret" .*\. If this run also creates the Secrets, set skip_validation of mtls to true`, "apply", "-auto-approve")

	write(t, filepath.Join(c.dir, "main.tf"), config+mtls("    skip_validation = true\n"))
	c.must(t, "apply", "-auto-approve")
	write(t, filepath.Join(c.dir, "main.tf"), config+mtls(""))
	c.must(t, "apply", "-auto-approve")
	c.planIsEmpty(t)

	// Take over, then destroy and create again.
	write(t, filepath.Join(c.dir, "main.tf"), config+allConfiguration)
	if err := os.Remove(filepath.Join(c.dir, "terraform.tfstate")); err != nil {
		t.Fatal(err)
	}
	c.must(t, "apply", "-auto-approve")
	text := c.must(t, "output", "-raw", "configuration")
	if want := `# Before this is created again: .* Set "skip_validation" of "mtls" to true`; !regexp.MustCompile(want).MatchString(text) {
		t.Errorf("the configuration does not match %s:\n%s", want, text)
	}
	taken := func(skip string) string {
		text := regexp.MustCompile(`(?s)resource "kuma_(hostname_generator|zone|global_secret)".*?\n}\n\nimport .*?\n}\n`).ReplaceAllString(text, "")
		return strings.Replace(text, "  mtls {\n", "  mtls {\n"+skip, 1)
	}
	write(t, filepath.Join(c.dir, "main.tf"), config+taken(""))
	if out := c.must(t, "apply", "-auto-approve"); !strings.Contains(out, "0 added, 0 changed, 0 destroyed") {
		t.Errorf("the import changes something:\n%s", out)
	}
	c.refused(t, `Secret "(cert|key)" of mesh "shop" was not deleted.* remove mtls, apply, and then destroy\.`, "destroy", "-auto-approve")
	destroy := func() {
		write(t, filepath.Join(c.dir, "main.tf"), config+mesh(""))
		c.must(t, "apply", "-auto-approve", "-target=kuma_mesh.shop")
		c.must(t, "destroy", "-auto-approve")
	}
	destroy()

	again := taken("    skip_validation = true\n")
	again = regexp.MustCompile(`(?s)import .*?\n}\n`).ReplaceAllString(again, "")
	write(t, filepath.Join(c.dir, "main.tf"), config+again)
	c.refused(t, "Missing secret value", "plan")
	c.env = append(c.env, "TF_VAR_secret_cert="+cert, "TF_VAR_secret_key="+key)
	c.must(t, "apply", "-auto-approve")
	c.planIsEmpty(t)
	destroy()
}
