package provider_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTaskGuides applies the example of each task to the mesh of the guide "Get started", on
// each release that has it, and finds the values of its outputs in the page of the task.
func TestTaskGuides(t *testing.T) {
	t.Parallel()
	needCLI(t)
	for _, file := range testworld.Files(t, filepath.Join(examples, "tasks", "*.tf")) {
		name := strings.TrimSuffix(filepath.Base(file), ".tf")
		t.Run(name, func(t *testing.T) {
			example := testworld.Text(t, file)
			onEachRelease(t, func(t *testing.T, open opener) {
				t.Helper()
				doTask(t, open(t, since("2.14")), name, example)
			}, example)
		})
	}
}

func doTask(t *testing.T, cp testControlPlane, name, example string) {
	t.Helper()
	c := started(t, cp)
	c.must(t, "apply", "-auto-approve")
	file := filepath.Join(c.dir, name+".tf")
	write(t, file, example)
	if strings.Contains(example, `file("${path.module}/ca.crt")`) {
		certificate, key := issueAuthority(t)
		write(t, filepath.Join(c.dir, "ca.crt"), certificate)
		c.env = append(c.env, "TF_VAR_ca_key="+key)
	}
	if strings.Contains(example, "var.signing_key") {
		c.env = append(c.env, "TF_VAR_signing_key="+signingKey(t))
	}
	c.needMajor(t, cp, example)
	c.needRelease(t)
	c.must(t, "plan", "-out=plan")
	outputs := c.plannedOutputs(t, "plan")
	c.must(t, "apply", "plan")
	c.planIsEmpty(t)
	page := testworld.Text(t, filepath.Join("../../templates/guides", pageOf(name)+".md.tmpl"))
	for _, output := range slices.Sorted(maps.Keys(outputs)) {
		if value := strings.TrimSpace(c.must(t, "output", output)); !strings.Contains(page, output+" = "+value) {
			t.Errorf("the page does not show\n%s = %s", output, value)
		}
	}
	if protected := strings.Replace(example, "prevent_destroy = true", "prevent_destroy = false", 1); protected != example {
		c.refused(t, "prevent_destroy set", "destroy", "-auto-approve")
		write(t, file, protected)
	}
	c.destroysAll(t, cp)
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
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)}))
}

// issueAuthority returns a self-signed authority and its key, in PEM format.
func issueAuthority(t *testing.T) (certificate, key string) {
	t.Helper()
	issued, private := issueCertificate(nil, nil, time.Now().Add(24*time.Hour))
	der, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, content []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
	}
	return text("CERTIFICATE", issued.Raw), text("EC PRIVATE KEY", der)
}
