package managed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// oneOfEach returns a configuration with one resource of every kind.
func oneOfEach(tb testing.TB) string {
	tb.Helper()
	config := "terraform {\n  required_providers {\n    kuma = { source = \"kuma-universal/kuma\" }\n  }\n}\n"
	for _, k := range kinds.All() {
		r := testworld.Resources(tb, testworld.Text(tb, testworld.Path("internal", "kinds", "testdata", "catalog", "examples", k.Name+".yaml")))[0]
		config += string(providertest.ResourceBlock(tb, r).BuildTokens(nil).Bytes())
	}
	return config
}

// BenchmarkValidate runs terraform validate on one resource of every kind, and reports
// the peak memory of the provider (on Linux).
func BenchmarkValidate(b *testing.B) {
	providertest.NeedCLI(b)
	c := providertest.NewCLI(b, map[string]string{"main.tf": oneOfEach(b)})
	c.SeparateProcess(b)
	for b.Loop() {
		c.Must(b, "validate")
	}
	b.StopTimer()
	dir, err := providertest.Binary()
	if err != nil {
		b.Fatal(err)
	}
	pid, reattach := providertest.StartProvider(b, filepath.Join(dir, "terraform-provider-kuma"))
	if host := os.Getenv("TF_ACC_PROVIDER_HOST"); host != "" { // OpenTofu has another registry
		reattach = strings.Replace(reattach, "registry.terraform.io", host, 1)
	}
	c.Env = append(c.Env, "TF_REATTACH_PROVIDERS="+reattach)
	c.Must(b, "validate")
	if peak, ok := providertest.PeakMemory(pid); ok {
		b.ReportMetric(peak, "provider-RSS-MB")
	}
}
