package managed_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestQueryGeneratesConfiguration lists all accepted documents of all kinds with
// `terraform query`, and plans the configuration that it generates.
func TestQueryGeneratesConfiguration(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	c := providertest.NewCLI(t, map[string]string{})
	c.NeedQuery(t)
	cp := providertest.NewEmbedded(t) // the documents would replace what a real one has in its mesh "default"
	_, documents := providertest.CatalogConfiguration(t)
	imports(t, cp, documents, false, false)
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), providertest.RequiredProvider+strings.Replace(cp.Config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1))
	types := map[string]bool{}
	for _, r := range documents {
		types[configuration.ResourceType(r)] = true
	}
	var query strings.Builder
	for typeName := range types {
		fmt.Fprintf(&query, "list %q \"all\" {\n  provider = kuma\n  include_resource = true\n  limit = 1000\n}\n", typeName)
	}
	providertest.Write(t, filepath.Join(c.Dir, "all.tfquery.hcl"), query.String())
	c.Must(t, "query", "-generate-config-out=generated.tf")
	imports := len(regexp.MustCompile(`(?m)^import `).FindAllString(testworld.Text(t, filepath.Join(c.Dir, "generated.tf")), -1))
	if imports < len(documents) {
		t.Errorf("the generated configuration imports %d resources, and there are %d", imports, len(documents))
	}
	out := c.Must(t, "plan")
	if want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", imports); !strings.Contains(out, want) {
		t.Errorf("want %q in\n%s", want, out)
	}
}
