package providertest

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Example applies files and checks that nothing is left to do. On a real control plane and in
// a nightly run, it also checks that destroying them leaves nothing: TestAcceptedDocuments
// destroys resources of all kinds in process.
func Example(t *testing.T, files map[string]string) CLI {
	t.Helper()
	if RealEndpoint != "" {
		return ExampleOn(t, NewControlPlane(t), files)
	}
	if strings.HasPrefix(files["example.tf"], Only2) {
		return ExampleOn(t, NewEmbedded(t), files)
	}
	cp := NewEmbeddedRelease(t, kuma.ParseRelease("3.0"))
	text := testworld.Text(t, filepath.Join(Examples, "provider", "provider-embedded.tf"))
	cp.Config = strings.Replace(text, "${path.root}/mesh", filepath.ToSlash(cp.Dir), 1)
	return ExampleOn(t, cp, files)
}

// ExampleOn is [Example] on a control plane.
func ExampleOn(t *testing.T, cp ControlPlane, files map[string]string) CLI {
	t.Helper()
	files["provider.tf"] = RequiredProvider + cp.Config
	c := NewCLI(t, files)
	c.NeedMajor(t, cp, files["example.tf"])
	c.NeedRelease(t)
	c.Must(t, "apply", "-auto-approve")
	if testworld.Nightly() || RealEndpoint != "" {
		t.Cleanup(func() { c.DestroysAll(t, cp) })
	}
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan has changes:\n%s", out)
	}
	return c
}

// ProviderBlock is the provider block of an example.
var ProviderBlock = regexp.MustCompile(`(?ms)^provider "kuma" \{.*?^\}\n`)

// Examples is the directory of the examples.
var Examples = testworld.Path("examples")
