package providertest

import (
	"fmt"
	"os"
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
	testworld.NoError(t, err)
	Write(t, file, text)
}

// ProviderBlock is the provider block of an example.
var ProviderBlock = regexp.MustCompile(`(?ms)^provider "kuma" \{.*?^\}\n`)

// Examples is the directory of the examples.
var Examples = testworld.Path("examples")

// CheckMistakes plans each mistake in the configuration around it, a format, on its
// own control plane, to which nothing must be written.
func CheckMistakes(t *testing.T, around string, mistakes map[string]Mistake) {
	t.Helper()
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := NewControlPlane(t)
			Fails(t, cp.Config+fmt.Sprintf(around, m[0]), m[1])
			if cp.Dir != "" {
				cp.Untouched(t)
			}
		})
	}
}

// Mistake is a part of a configuration that must be rejected, and the expression that
// the message must match.
type Mistake [2]string

// Untouched checks that nothing was written.
func (cp ControlPlane) Untouched(t *testing.T) {
	t.Helper()
	if err := cp.IsEmpty(); err != nil {
		t.Error(err)
	}
	if cp.Dir == "" {
		return
	}
	entries, err := os.ReadDir(cp.Dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("the store has %d entries, want none (%v)", len(entries), err)
	}
}

// Fails checks that the plan of a configuration fails with a message.
func Fails(t *testing.T, config, want string) {
	t.Helper()
	out, code := NewCLI(t, map[string]string{"main.tf": RequiredProvider + config}).Run(t, "plan")
	if code == 0 || !Expression(want).MatchString(out) {
		t.Errorf("exit code %d, want an error like %s:\n%s", code, want, out)
	}
}
