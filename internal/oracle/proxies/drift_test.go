package proxies_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestDriftOfEffect follows a change from the plan to a proxy by the example of the guide: the
// proxy accepts it, rejects the next one, and disconnects.
func TestDriftOfEffect(t *testing.T) {
	terraform := needTerraform(t)
	t.Setenv("KUMA_XDS_SERVER_DATAPLANE_STATUS_FLUSH_INTERVAL", "1s")
	const settled = 5 * time.Second // until the overview shows how the proxy has answered
	cp := start(t)
	inShop := strings.NewReplacer("mesh: m\n", "mesh: shop\n", "mesh: m,", "mesh: shop,", "name: m,", "name: shop,", "name: m\n", "name: shop\n")
	store(t, cp, inShop.Replace(plainMesh), inShop.Replace(dataplane("checkout-1", 1)))
	var rejecting atomic.Bool
	p, err := proxies.Connect(t.Context(), cp, proxies.Options{Mesh: "shop", Dataplane: "checkout-1", Answer: func(_ context.Context, r proxies.Response) error {
		if r.Type == envoy.Listeners && rejecting.Load() {
			return errors.New("no socket for the listener")
		}
		return nil
	}})
	testworld.NoError(t, err)
	defer p.Close()
	run, dir := newTerraformIn(t, terraform, fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", cp.Endpoint))
	example := testworld.Text(t, filepath.Join("..", "..", "..", "examples", "guides", "drift", "running.tf"))
	follow := func(command, request string, wants ...string) {
		t.Helper()
		testworld.NoError(t, os.WriteFile(filepath.Join(dir, "running.tf"), []byte(strings.Replace(example, `"5s"`, `"`+request+`"`, 1)), 0o600))
		out, err := run(strings.Fields(command)...)
		text := strings.Join(strings.Fields(string(out)), " ")
		for _, want := range wants {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s with %s: %v, want %q:\n%s", command, request, err, want, out)
			}
		}
		if len(wants) == 1 && strings.Contains(text, "assertion failed") {
			t.Errorf("%s with %s: the check warns:\n%s", command, request, out)
		}
		time.Sleep(settled)
	}
	const change, plan = "apply -auto-approve -no-color", "plan -no-color"
	follow(change, "5s", "Apply complete!")
	follow(change, "5s", "the_plan_changes_rules = false")
	follow(plan, "6s", "the_plan_changes_rules = false -> true")
	rejecting.Store(true)
	follow(change, "6s", "Apply complete!")
	follow(plan, "6s", "assertion failed", "checkout-1: the configuration is rejected.")
	testworld.NoError(t, p.Close())
	time.Sleep(settled)
	follow(plan, "6s", "assertion failed", "checkout-1: the configuration is not sent, because the proxy is not connected")
}
