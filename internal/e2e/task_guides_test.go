package e2e_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTaskGuides applies the example of each task to the mesh of the guide "Get started", on
// each release that has it, and finds the values of its outputs in the page of the task.
func TestTaskGuides(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for _, file := range testworld.Files(t, filepath.Join(providertest.Examples, "tasks", "*.tf")) {
		name := strings.TrimSuffix(filepath.Base(file), ".tf")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			example := testworld.Text(t, file)
			providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
				t.Helper()
				doTask(t, open(t, providertest.Since("2.14")), name, example)
			}, example)
		})
	}
}

// outputBegin matches the beginning of an output in the list that Terraform prints.
var outputBegin = regexp.MustCompile(`(?m)^\w+ = `)

// resourceBlock matches the beginning of a resource of Kuma that analyses may depend on.
var resourceBlock = regexp.MustCompile(`(?m)^resource "(kuma_(?:mesh|dataplane)\w*)" "(\w+)" \{$`)

func doTask(t *testing.T, cp providertest.ControlPlane, name, example string) {
	t.Helper()
	c := started(t, cp)
	request := filepath.Join(c.Dir, "request.tf")
	providertest.Write(t, request, testworld.Text(t, filepath.Join(providertest.Examples, "get-started", "request.tf")))
	c.Must(t, "apply", "-auto-approve")
	page := testworld.Text(t, filepath.Join(testworld.Path("templates", "guides"), pageOf(name)+".md.tmpl"))
	providertest.Write(t, request, planning(t, example, page))
	file := filepath.Join(c.Dir, name+".tf")
	providertest.Write(t, file, example)
	if strings.Contains(example, `file("${path.module}/ca.crt")`) {
		createAuthority(t, c.Dir, page)
		c.Env = append(c.Env, "TF_VAR_ca_key="+testworld.Text(t, filepath.Join(c.Dir, "ca.key")))
	}
	if strings.Contains(example, "var.signing_key") {
		c.Env = append(c.Env, "TF_VAR_signing_key="+signingKey(t))
	}
	c.NeedMajor(t, cp, example)
	c.NeedRelease(t)
	if out := c.Must(t, "apply", "-auto-approve"); strings.Contains(out, "not covered by an analysis") {
		t.Errorf("a change is not covered:\n%s", out)
	}
	c.PlanIsEmpty(t)
	outputs := c.Must(t, "output")
	for _, begin := range slices.Backward(outputBegin.FindAllStringIndex(outputs, -1)) {
		if output := strings.TrimSpace(outputs[begin[0]:]); !strings.HasPrefix(output, "request = ") && !strings.Contains(page, output) {
			t.Errorf("the page does not show\n%s", output)
		}
		outputs = outputs[:begin[0]]
	}
	if protected := strings.Replace(example, "prevent_destroy = true", "prevent_destroy = false", 1); protected != example {
		c.Refused(t, "prevent_destroy set", "destroy", "-auto-approve")
		providertest.Write(t, file, protected)
	}
	c.DestroysAll(t, cp)
}

// createAuthority runs the command of a page that creates an authority.
func createAuthority(t *testing.T, dir, page string) {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("requires openssl")
	}
	sh := exec.CommandContext(t.Context(), "sh", "-c", regexp.MustCompile(`(?ms)^openssl req .*?ca\.crt$`).FindString(page))
	sh.Dir = dir
	if out, err := sh.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", sh, err, out)
	}
}

// planning returns request.tf of "Get started" with those resources of an example in planned that
// the page of the task tells the reader to add.
func planning(t *testing.T, example, page string) string {
	t.Helper()
	list := "  planned = [\n"
	for _, block := range resourceBlock.FindAllStringSubmatch(example, -1) {
		address := block[1] + "." + block[2]
		if strings.Contains(page, "add its services, policies and Dataplanes") || strings.Contains(page, "add `"+address+"`") {
			list += "    " + address + ",\n"
		}
	}
	request := testworld.Text(t, filepath.Join(providertest.Examples, "get-started", "request.tf"))
	return testworld.Edited(t, request, "  planned = [\n", list)
}

// pageOf returns the name of the page that shows an example of a task.
func pageOf(example string) string {
	switch example {
	case "builtin-gateway":
		return "add-a-gateway"
	case "signing-key":
		return "tokens-and-secrets"
	default:
		return example
	}
}

// signingKey returns a key that can sign tokens, in PEM format.
func signingKey(t *testing.T) string {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	testworld.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)}))
}
