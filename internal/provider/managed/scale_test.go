package managed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRequestsOfManyResources checks that the number of requests of a plan does not
// grow with the number of resources, and that an apply and a destroy send three for each.
// Plan and apply of a mesh that is destroyed list the resources of each kind once.
func TestRequestsOfManyResources(t *testing.T) {
	t.Parallel()
	n := providertest.Size(60)
	server, config := providertest.StartCounted(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + providertest.ManyTimeouts(n)})
	atMost := func(what string, most int64, args ...string) {
		t.Helper()
		requests, took := server.During(func() { c.Must(t, args...) })
		t.Logf("%-22s %4d requests, %v", what, requests, took.Round(time.Millisecond))
		if requests > most {
			t.Errorf("%s: %d requests, want at most %d", what, requests, most)
		}
	}
	atMost("plan of new resources", 20, "plan", "-out=plan")
	atMost("apply", int64(3*(n+1)+20), "apply", "plan")
	atMost("plan without changes", 20, "plan", "-detailed-exitcode")
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+strings.Replace(providertest.ManyTimeouts(n), `"1h"`, `"2h"`, 1))
	atMost("plan of changes", 20, "plan", "-out=plan")
	atMost("apply of changes", int64(3*n+20), "apply", "plan")
	state := testworld.Text(t, filepath.Join(c.Dir, "terraform.tfstate"))
	if size := len(phrase.JSON(testworld.JSON(t, state))) / (n + 1); size > 1200 {
		t.Errorf("the state takes %d bytes per resource", size)
	}
	atMost("destroy", int64(3*(n+1)+2*len(kinds.All())+20), "destroy", "-auto-approve")
}

// oneOfEach returns a configuration with one resource of every kind.
func oneOfEach(tb testing.TB) string {
	tb.Helper()
	config := providertest.RequiredProvider
	for _, k := range kinds.All() {
		r := testworld.Resources(tb, testworld.Text(tb, testworld.Path("internal", "kinds", "testdata", "catalog", "examples", k.Name+".yaml")))[0]
		config += string(resourceBlock(tb, r).BuildTokens(nil).Bytes())
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
	testworld.NoError(b, err)
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
