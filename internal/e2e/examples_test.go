package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// TestExamples applies every example of a resource or data source, and runs the
// examples of imports. A type without an example fails. The data source and the
// imports of a type use its minimal example instead of applying it again.
func TestExamples(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	names := []string{"kuma_manifest"}
	for _, k := range kinds.All() {
		names = append(names, tfschema.TypeName(k.Name))
	}
	for _, name := range names {
		dir := filepath.Join(providertest.Examples, "resources", name)
		files := testworld.Files(t, filepath.Join(dir, "resource*.tf"))
		if len(files) < 2 {
			t.Errorf("%s needs a minimal and a realistic example", name)
		}
		for _, file := range files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				if providertest.RealEndpoint != "" && name == tfschema.TypeName(kinds.Workload.Name) {
					t.Skip(providertest.ManagesWorkloads)
				}
				files := map[string]string{"example.tf": testworld.Text(t, file)}
				if filepath.Base(file) != "resource.tf" {
					providertest.Example(t, files)
					return
				}
				c := providertest.Applied(t, files) // the import proves that nothing is left to do
				if updatesAfterImport(name) {
					c.PlanIsEmpty(t)
				}
				if name != "kuma_manifest" { // each kind has a data source of its own
					providertest.Write(t, filepath.Join(c.Dir, "data.tf"), testworld.Text(t, filepath.Join(providertest.Examples, "data-sources", name, "data-source.tf")))
				}
				importExamples(t, c, name)
			})
		}
	}
	for _, name := range []string{"access", "decode_documents", "effective_rules", "encode_document", "encode_resource", "kri", "mesh_lint", "parse_kri", "policy_impact", "request", "sni", "upgrade_documents"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Applied(t, map[string]string{"example.tf": testworld.Text(t, filepath.Join(providertest.Examples, "functions", name, "function.tf"))})
		})
	}
	var analyzing []string
	for _, name := range []string{"kuma_access", "kuma_effective_rules", "kuma_mesh_lint", "kuma_policy_impact", "kuma_proxies", "kuma_proxy_config", "kuma_request", "kuma_resources", "kuma_rollout"} {
		analyzing = append(analyzing, testworld.Files(t, filepath.Join(providertest.Examples, "data-sources", name, "data-source*.tf"))...)
	}
	for _, file := range analyzing {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			c := providertest.Applied(t, map[string]string{"example.tf": providertest.CheckoutProxy})
			providertest.Write(t, filepath.Join(c.Dir, "data.tf"), strings.Replace(testworld.Text(t, file), `"old.tfstate"`, `"${path.root}/old.tfstate"`, 1))
			providertest.Write(t, filepath.Join(c.Dir, "old.tfstate"), testworld.Text(t, testworld.Path("internal", "provider", "managed", "testdata", "moves", "kong-mesh.state.json")))
			c.NeedRelease(t)
			c.Must(t, "apply", "-auto-approve")
		})
	}
}

// updatesAfterImport reports whether an apply follows an import, which reads no secret.
func updatesAfterImport(name string) bool {
	return name == "kuma_secret" || name == "kuma_global_secret"
}

// importExamples imports the example of a resource in place of what is in the state: in the
// first way that is shown, and on a real control plane or in a nightly run in every way.
func importExamples(t *testing.T, c providertest.CLI, name string) {
	t.Helper()
	dir := filepath.Join(providertest.Examples, "resources", name)
	file := filepath.Join(c.Dir, "import.tf")
	block := func(from string) {
		t.Helper()
		c.Forget(t, name, "example")
		providertest.Write(t, file, testworld.Text(t, filepath.Join(dir, from)))
		want := "1 imported, 0 added, 0 changed, 0 destroyed"
		if updatesAfterImport(name) {
			want = "Update changes only the state"
		}
		if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, want) {
			t.Errorf("the import of %s changes something:\n%s", from, out)
		}
	}
	block("import-by-string-id.tf")
	if !testworld.Nightly() && providertest.RealEndpoint == "" {
		return
	}
	if c.IsSince(t, providertest.HasIdentities) {
		block("import-by-identity.tf")
	} else {
		t.Log("import by identity needs Terraform or OpenTofu 1.12; TestAcceptedDocuments does it in process")
	}
	testworld.NoError(t, os.Remove(file))
	_, command, _ := strings.Cut(testworld.Text(t, filepath.Join(dir, "import.sh")), "terraform ")
	c.Forget(t, name, "example")
	c.Must(t, strings.Fields(command)...)
}
