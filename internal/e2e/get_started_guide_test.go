package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// started applies the mesh of the guide "Get started" on a control plane, and adds its
// permission.
func started(t *testing.T, cp providertest.ControlPlane) providertest.CLI {
	t.Helper()
	file := func(name string) string {
		return testworld.Text(t, filepath.Join(providertest.Examples, "get-started", name))
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.ProviderBlock.ReplaceAllLiteralString(file("main.tf"), cp.ConfigWith(`reference_checks = "warning"`))})
	c.NeedRelease(t)
	c.Must(t, "apply", "-auto-approve")
	providertest.Write(t, filepath.Join(c.Dir, "permission.tf"), file("permission.tf"))
	return c
}

// TestGetStarted follows the guide, and finds what Kuma 3.0 shows in its text.
func TestGetStarted(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	guide := testworld.Text(t, testworld.Path("templates", "guides", "get-started.md.tmpl"))
	providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
		t.Helper()
		cp := open(t, providertest.Since("2.14"))
		c := started(t, cp)
		providertest.Write(t, filepath.Join(c.Dir, "request.tf"), testworld.Text(t, filepath.Join(providertest.Examples, "get-started", "request.tf")))
		c.Must(t, "plan", "-out=plan")
		text, _ := c.PlannedOutputs(t, "plan")["request"].(string)
		if !strings.Contains(text, "Verdict: allowed.") {
			t.Errorf("the request is not allowed:\n%s", text)
		}
		// A real control plane of 3.0 is a development build, which creates policies.
		if cp.ControlPlane.Release.Kuma3() && providertest.RealEndpoint == "" && !strings.Contains(guide, strings.TrimSpace(text)) {
			t.Errorf("the guide does not show\n%s", text)
		}
		permission := filepath.Join(c.Dir, "permission.tf")
		right := testworld.Text(t, permission)
		providertest.Write(t, permission, strings.Replace(right, "workload/storefront", "workload/storefrnt", 1))
		out := c.Must(t, "plan")
		for _, message := range []string{"Warning: Check block assertion failed", `No MeshTrafficPermission allows the client to call Dataplane "checkout-1".`} {
			if !strings.Contains(out, message) || !strings.Contains(guide, message) {
				t.Errorf("the plan of the mistake, or the guide, does not show %q:\n%s", message, out)
			}
		}
		providertest.Write(t, permission, right)
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)
		c.DestroysAll(t, cp)
	})
}
