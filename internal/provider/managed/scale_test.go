package managed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestRequestsOfManyResources checks that the number of requests of a plan does not
// grow with the number of resources, and that an apply and a destroy send three for each.
// Plan and apply of a mesh that is destroyed list the resources of each kind once.
func TestRequestsOfManyResources(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
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
	state, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	if size := len(providertest.CompactJSON(t, state)) / (n + 1); size > 1200 {
		t.Errorf("the state takes %d bytes per resource", size)
	}
	atMost("destroy", int64(3*(n+1)+2*len(kinds.All())+20), "destroy", "-auto-approve")
}
