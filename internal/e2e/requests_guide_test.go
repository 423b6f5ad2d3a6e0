package e2e_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// requestGates are the conditions of the guide "Test what requests do", each with a bad
// change of the mesh and the command that reports it.
var requestGates = []struct{ file, old, new, command, message string }{
	{"permission.tf", "workload/storefront", "workload/storefrnt", "plan", "The storefront must be allowed to read orders."},
	{"split-traffic.tf", "100 - var.percent", "100", "plan", "Version 1 must get 90% of the orders."},
	{"permission.tf", "Exact\"\n            value = \"spiffe://shop.mesh.local/workload/storefront", "Prefix\"\n            value = \"spiffe://shop.mesh.local", "plan", "Only the storefront may call checkout."},
	{"permission.tf", `"Exact"`, `"Prefix"`, "test", "No client but the storefront may read orders."},
	{"split-traffic.tf", "default     = 10", "default     = 20", "test", "Version 1 must get 90% of all requests, and version 2 the rest."},
	{"split-traffic.tf", `value = "/"`, `value = "/orders"`, "test", "No rule of the routes to the service matches"},
	{"split-traffic.tf", "100 - var.percent", "90", "test", "Version 1 must get 0% of the orders."},
}

// TestRequestsGuide applies the examples of the guide on each release, runs their test, and
// finds the output of the test in the guide. Each condition reports a bad change.
func TestRequestsGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	guide := testworld.Text(t, testworld.Path("templates", "guides", "test-what-requests-do.md.tmpl"))
	providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
		t.Helper()
		cp := open(t, providertest.Since("2.14"))
		c := started(t, cp)
		c.Copy(t, filepath.Join(providertest.Examples, "guides", "requests"), ".")
		split := testworld.Text(t, filepath.Join(providertest.Examples, "tasks", "split-traffic.tf"))
		providertest.Write(t, filepath.Join(c.Dir, "split-traffic.tf"), split)
		page := testworld.Text(t, testworld.Path("templates", "guides", "split-traffic.md.tmpl"))
		providertest.Write(t, filepath.Join(c.Dir, "request.tf"), planning(t, split, page))
		test := filepath.Join(c.Dir, "tests", "requests.tftest.hcl")
		providertest.Write(t, test, strings.NewReplacer(
			`"3.0"`, strconv.Quote(cp.ControlPlane.Release.String()), `"./.mesh"`, strconv.Quote(t.TempDir()),
		).Replace(testworld.Text(t, test)))
		if out := c.Must(t, "apply", "-auto-approve"); strings.Contains(out, "Check block assertion failed") {
			t.Errorf("a check fails:\n%s", out)
		}
		c.PlanIsEmpty(t)
		if out := c.Must(t, "test"); !strings.Contains(guide, strings.TrimSpace(out)) {
			t.Errorf("the guide does not show\n%s", out)
		}
		for _, g := range requestGates {
			file := filepath.Join(c.Dir, g.file)
			right := testworld.Text(t, file)
			providertest.Write(t, file, testworld.Edited(t, right, g.old, g.new))
			out, _ := c.Run(t, g.command)
			_, matrix, reported := strings.Cut(out, g.message+"\n\nport ")
			if !reported && !strings.Contains(out, g.message) {
				t.Errorf("terraform %s of %q does not report %q:\n%s", g.command, g.new, g.message, out)
			}
			// A real control plane of 3.0 generates services, which give clients other names.
			if matrix, _, _ = strings.Cut(matrix, "\n\n"); cp.ControlPlane.Release.Kuma3() && providertest.RealEndpoint == "" && !strings.Contains(guide, strings.TrimSpace(matrix)) {
				t.Errorf("the guide does not show\n%s", matrix)
			}
			providertest.Write(t, file, right)
		}
		c.DestroysAll(t, cp)
	})
}
