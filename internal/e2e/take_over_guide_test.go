package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTakeOverGuide takes over the mesh of the example along each path of the guide,
// with the configuration that the guide shows.
func TestTakeOverGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
		t.Helper()
		takeOverGuide(t, open(t, providertest.Since("2.14"), providertest.Writes(kinds.Dataplane)))
	})
}

func takeOverGuide(t *testing.T, cp providertest.ControlPlane) {
	t.Helper()
	guide := testworld.Text(t, testworld.Path("docs", "guides", "take-over-a-mesh.md"))
	blocks := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindAllStringSubmatch(guide, -1)
	block := func(text string) string {
		t.Helper()
		for _, b := range blocks {
			if strings.Contains(b[1], text) {
				return b[1]
			}
		}
		t.Fatalf("no block of the guide contains %q", text)
		return ""
	}
	yaml := testworld.Path("examples", "take-over", "shop.yaml")
	resources := testworld.Resources(t, testworld.Text(t, yaml))
	cp.Put(t, resources...)
	provider := strings.Replace(cp.Config, "{", "{\n  policy_checks = \"warning\"", 1)
	live := regexp.MustCompile(`(?s)provider "kuma" \{.*?\n\}\n`).ReplaceAllLiteralString(block(`data "kuma_resources"`), provider)
	before, _, _ := strings.Cut(live, `data "kuma_resources"`)
	imports := func(t *testing.T, c providertest.CLI, count, changed int) {
		t.Helper()
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), before)
		testworld.NoError(t, os.RemoveAll(filepath.Join(c.Dir, "terraform.tfstate")))
		out := c.Must(t, "plan")
		if want := fmt.Sprintf("Plan: %d to import, 0 to add, %d to change, 0 to destroy.", count, changed); !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}

	t.Run("live control plane", func(t *testing.T) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": live})
		c.Must(t, "apply", "-auto-approve")
		providertest.Write(t, filepath.Join(c.Dir, "shop.tf"), c.Output(t, "shop"))
		imports(t, c, len(resources)-1, 0) // the HostnameGenerator belongs to no mesh
	})
	t.Run("files", func(t *testing.T) {
		if _, err := exec.LookPath("jq"); err != nil {
			t.Skip("requires jq")
		}
		c := providertest.NewCLI(t, map[string]string{"main.tf": before + block(`"files"`)})
		c.Must(t, "fmt")
		c.Must(t, "apply", "-auto-approve")
		_, command, _ := strings.Cut(guide, "terraform output -json files")
		command, _, _ = strings.Cut(command, "\n")
		sh := exec.CommandContext(t.Context(), "sh", "-c", c.Terraform+" output -json files"+command)
		sh.Dir, sh.Env = c.Dir, c.Env
		if out, err := sh.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		c.Must(t, "fmt", "-check")
		for name, want := range map[string]string{
			"mesh.tf": "resource \"kuma_mesh\" \"shop\"", "imports.tf": "import {", "variables.tf": "variable \"secret_",
		} {
			if text := testworld.Text(t, filepath.Join(c.Dir, name)); !strings.HasPrefix(text, want) || strings.Contains(text, "import {") != (name == "imports.tf") {
				t.Errorf("%s:\n%s", name, text)
			}
		}
		imports(t, c, len(resources)-1, 0)
	})
	t.Run("terraform query", func(t *testing.T) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": before, "shop.tfquery.hcl": block(`list "kuma_mesh_timeout"`)})
		c.NeedQuery(t)
		c.Must(t, "query", "-generate-config-out=generated.tf")
		timeouts := 0
		for _, r := range resources {
			if r.Type == kinds.MeshTimeout.Name {
				timeouts++
			}
		}
		imports(t, c, timeouts, 0)
	})
	t.Run("YAML", func(t *testing.T) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": before + block("encode_resources")})
		testworld.NoError(t, os.Mkdir(filepath.Join(c.Dir, "kuma"), 0o700))
		providertest.Write(t, filepath.Join(c.Dir, "kuma", "shop.yaml"), testworld.Text(t, yaml))
		c.Must(t, "apply", "-auto-approve")
		providertest.Write(t, filepath.Join(c.Dir, "mesh.tf"), c.Output(t, "mesh"))
		changed := 0
		if cp.ControlPlane.Release.Kuma3() { // its only mode of mesh_services is a default
			changed = 1
		}
		imports(t, c, len(resources), changed)
	})
}
