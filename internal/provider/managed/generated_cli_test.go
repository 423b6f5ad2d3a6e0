package managed_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestGeneratedConfigurationChangesNothing imports all accepted documents of all
// kinds without a configuration, as the resource of their kind and as a manifest, by
// identifier and by identity, and plans what Terraform generates.
func TestGeneratedConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for _, test := range []struct{ resource, by string }{{"typed", "id"}, {"typed", "identity"}, {"manifest", "id"}, {"manifest", "identity"}} {
		t.Run(test.resource+" by "+test.by, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCLI(t, map[string]string{})
			if test.by == "identity" {
				c.NeedVersion(t, providertest.HasIdentities)
			}
			cp := providertest.NewEmbedded(t) // the documents would replace what a real one has in its mesh "default"
			_, documents := catalogConfiguration(t)
			imports := imports(t, cp, documents, test.resource == "manifest", test.by == "identity")
			config := providertest.RequiredProvider + strings.Replace(cp.Config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1)

			out, code := generate(t, c, config, imports)
			if code != 0 {
				t.Fatalf("the plan ends with %d:\n%s", code, out)
			}
			if want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", len(documents)); !strings.Contains(out, want) {
				t.Errorf("want %q in\n%s", want, out)
			}
			if strings.Contains(out, "will be deleted") {
				t.Errorf("sensitive values would be deleted:\n%s", out)
			}
		})
	}
}

// imports stores the documents, and returns import blocks, by identity or by
// identifier.
func imports(t *testing.T, cp providertest.ControlPlane, documents map[string]kuma.Resource, manifests, byIdentity bool) []string {
	t.Helper()
	var imports []string
	for address, r := range documents {
		if r.Mesh != "" {
			cp.Put(t, kuma.Resource{Type: "Mesh", Name: r.Mesh, Body: map[string]any{"skipCreatingInitialPolicies": []any{"*"}}})
		}
		cp.Put(t, r)
		id, identity := configuration.ImportID(r), map[string]string{"name": r.Name}
		if r.Mesh != "" {
			identity["mesh"] = r.Mesh
		}
		if manifests {
			_, label, _ := strings.Cut(address, ".")
			address, id, identity["type"] = "kuma_manifest."+label, configuration.ManifestImportID(r.Key()), r.Type
		}
		by := fmt.Sprintf("id = %q", id)
		if byIdentity {
			by = "identity = " + phrase.JSON(identity)
		}
		imports = append(imports, fmt.Sprintf("import {\n  to = %s\n  %s\n}\n", address, by))
	}
	return imports
}

// generate plans imports of what has no configuration.
func generate(t *testing.T, c providertest.CLI, config string, imports []string) (string, int) {
	t.Helper()
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+strings.Join(imports, ""))
	return c.Run(t, "plan", "-generate-config-out=generated.tf", "-out=plan")
}
