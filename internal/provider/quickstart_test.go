package provider_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"

	"github.com/google/go-cmp/cmp"
)

// TestQuickstart applies the example of overriding on universal and checks what
// the design asks for: the service rule is conf1 with conf3 over it, the route
// rule conf2 with conf4 over it, for the proxy with the tag only. The answer is
// the same before the apply and after it.
func TestQuickstart(t *testing.T) {
	needCLI(t)
	const dir = "../../examples/quickstart"
	cp := newTestControlPlane(t)
	main := testworld.Text(t, filepath.Join(dir, "main.tf"))
	if cp.dir == "" {
		main = embeddedProvider.ReplaceAllLiteralString(main, cp.config)
	} else {
		main = strings.Replace(main, "${path.root}/mesh", filepath.ToSlash(cp.dir), 1)
	}
	c := newCLI(t, map[string]string{"main.tf": main, "effective.tf": testworld.Text(t, filepath.Join(dir, "effective.tf"))})
	c.needRelease(t)
	want := map[string]any{
		"frontend-1": map[string]any{
			"backend":          timeouts("2s", "1s", "", "timeout-on-backend-service", "timeout-on-backend-service-override"),
			"route-to-backend": timeouts("", "10s", "1m0s", "timeout-on-backend-route", "timeout-on-backend-route-override"),
		},
		"batch-1": map[string]any{
			"backend":          timeouts("2s", "5s", "", "timeout-on-backend-service"),
			"route-to-backend": timeouts("", "30s", "1m0s", "timeout-on-backend-route"),
		},
	}
	check := func(plan string) {
		t.Helper()
		if diff := cmp.Diff(want, c.plannedOutputs(t, plan)["timeouts"]); diff != "" {
			t.Errorf("effective timeouts of %s (-want +got):\n%s", plan, diff)
		}
	}

	out := c.must(t, "plan", "-out=first")
	check("first")
	if strings.Contains(out, "known after apply") {
		t.Errorf("the first plan leaves something open:\n%s", out)
	}
	cp.untouched(t)
	if out := c.must(t, "apply", "first"); strings.Contains(out, "Check block assertion") {
		t.Errorf("a check fails:\n%s", out)
	}
	if out, code := c.run(t, "plan", "-detailed-exitcode", "-out=second"); code != 0 {
		t.Errorf("the second plan has changes:\n%s", out)
	}
	check("second")

	change := c.must(t, "plan", "-var", "frontend_request_timeout=500ms", "-out=change")
	want["frontend-1"].(map[string]any)["backend"] = timeouts("2s", "500ms", "", "timeout-on-backend-service", "timeout-on-backend-service-override")
	check("change")
	if !strings.Contains(change, "The frontend group must give up on the backend after 1s") {
		t.Errorf("the check does not warn of the change:\n%s", change)
	}

	c.must(t, "destroy", "-auto-approve")
	if err := cp.isEmpty(); err != nil {
		t.Error(err)
	}
}

// embeddedProvider is the provider block of the quickstart.
var embeddedProvider = regexp.MustCompile(`(?ms)^provider "kuma" \{.*?^\}\n`)

// timeouts are those of one destination, and the policies they come from.
func timeouts(connect, request, idle string, origin ...any) map[string]any {
	http := map[string]any{"requestTimeout": request}
	if idle != "" {
		http["streamIdleTimeout"] = idle
	}
	conf := map[string]any{"http": http}
	if connect != "" {
		conf["connectionTimeout"] = connect
	}
	return map[string]any{"conf": conf, "origin": origin}
}
