package provider_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// started applies the mesh of the guide "Get started" on a control plane, and adds its
// permission.
func started(t *testing.T, cp testControlPlane) cli {
	t.Helper()
	file := func(name string) string { return testworld.Text(t, filepath.Join(examples, "get-started", name)) }
	c := newCLI(t, map[string]string{"main.tf": providerBlock.ReplaceAllLiteralString(file("main.tf"), cp.config)})
	c.needRelease(t)
	c.must(t, "apply", "-auto-approve")
	write(t, filepath.Join(c.dir, "permission.tf"), file("permission.tf"))
	return c
}

// TestGetStarted follows the guide, and finds what Kuma 3.0 shows in its text.
func TestGetStarted(t *testing.T) {
	t.Parallel()
	needCLI(t)
	guide := testworld.Text(t, "../../templates/guides/get-started.md.tmpl")
	onEachRelease(t, func(t *testing.T, open opener) {
		t.Helper()
		cp := open(t, since("2.14"))
		c := started(t, cp)
		write(t, filepath.Join(c.dir, "request.tf"), testworld.Text(t, filepath.Join(examples, "get-started", "request.tf")))
		c.must(t, "plan", "-out=plan")
		text, _ := c.plannedOutputs(t, "plan")["request"].(string)
		if !strings.Contains(text, "Verdict: allowed.") {
			t.Errorf("the request is not allowed:\n%s", text)
		}
		// A real control plane of 3.0 is a development build, which creates policies.
		if cp.ControlPlane.Release.Kuma3() && realEndpoint == "" && !strings.Contains(guide, strings.TrimSpace(text)) {
			t.Errorf("the guide does not show\n%s", text)
		}
		permission := filepath.Join(c.dir, "permission.tf")
		right := testworld.Text(t, permission)
		write(t, permission, strings.Replace(right, "workload/storefront", "workload/storefrnt", 1))
		out := c.must(t, "plan")
		for _, message := range []string{"Warning: Check block assertion failed", `No MeshTrafficPermission allows the client to call Dataplane "checkout-1".`} {
			if !strings.Contains(out, message) || !strings.Contains(guide, message) {
				t.Errorf("the plan of the mistake, or the guide, does not show %q:\n%s", message, out)
			}
		}
		write(t, permission, right)
		c.must(t, "apply", "-auto-approve")
		c.planIsEmpty(t)
		c.destroysAll(t, cp)
	})
}
