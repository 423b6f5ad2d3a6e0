package providertest

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Example applies files and checks that nothing is left to do. On a real control plane and in
// a nightly run, it also checks that destroying them leaves nothing: TestAcceptedDocuments
// destroys resources of all kinds in process.
func Example(t *testing.T, files map[string]string) CLI {
	t.Helper()
	c := Applied(t, files)
	c.PlanIsEmpty(t)
	return c
}

// ExampleOn is [Example] on a control plane.
func ExampleOn(t *testing.T, cp ControlPlane, files map[string]string) CLI {
	t.Helper()
	c := applied(t, cp, files)
	c.PlanIsEmpty(t)
	return c
}

// Applied is [Example] without the second plan, for what another command proves to be empty.
func Applied(t *testing.T, files map[string]string) CLI {
	t.Helper()
	if RealEndpoint != "" {
		return applied(t, NewControlPlane(t), files)
	}
	if strings.HasPrefix(files["example.tf"], Only2) {
		return applied(t, NewEmbedded(t), files)
	}
	cp := NewEmbeddedRelease(t, kuma.ParseRelease("3.0"))
	text := testworld.Text(t, filepath.Join(Examples, "provider", "provider-embedded.tf"))
	cp.Config = strings.Replace(text, "${path.root}/mesh", filepath.ToSlash(cp.Dir), 1)
	return applied(t, cp, files)
}

func applied(t *testing.T, cp ControlPlane, files map[string]string) CLI {
	t.Helper()
	files["provider.tf"] = RequiredProvider + cp.Config
	c := NewCLI(t, files)
	c.NeedMajor(t, cp, files["example.tf"])
	c.NeedRelease(t)
	c.Must(t, "apply", "-auto-approve")
	if testworld.Nightly() || RealEndpoint != "" {
		t.Cleanup(func() { c.DestroysAll(t, cp) })
	}
	return c
}

// Forget removes a resource from the state, as the command state rm does.
func (c CLI) Forget(t *testing.T, typeName, name string) {
	t.Helper()
	file := filepath.Join(c.Dir, "terraform.tfstate")
	state := tree.Object(testworld.JSON(t, testworld.Text(t, file)))
	all := tree.List(state["resources"])
	state["resources"] = slices.DeleteFunc(slices.Clone(all), func(r any) bool {
		return tree.Object(r)["mode"] == "managed" && tree.Object(r)["type"] == typeName && tree.Object(r)["name"] == name
	})
	if len(tree.List(state["resources"])) != len(all)-1 {
		t.Fatalf("the state does not have one %s.%s", typeName, name)
	}
	text, err := tree.EncodeJSON(state)
	if err != nil {
		t.Fatal(err)
	}
	Write(t, file, text)
}

// ProviderBlock is the provider block of an example.
var ProviderBlock = regexp.MustCompile(`(?ms)^provider "kuma" \{.*?^\}\n`)

// Examples is the directory of the examples.
var Examples = testworld.Path("examples")
