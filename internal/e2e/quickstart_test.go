package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestQuickstart applies the example of overriding on universal and checks what
// the design asks for: the service rule is conf1 with conf3 over it, the route
// rule conf2 with conf4 over it, for the selected proxy only. The answer is
// the same before the apply and after it.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
		t.Helper()
		quickstart(t, open(t))
	})
}

func quickstart(t *testing.T, cp providertest.ControlPlane) {
	t.Helper()
	dir := testworld.Path("examples", "quickstart")
	main := providertest.ProviderBlock.ReplaceAllLiteralString(testworld.Text(t, filepath.Join(dir, "main.tf")), cp.Config)
	c := providertest.NewCLI(t, map[string]string{"main.tf": main, "effective.tf": testworld.Text(t, filepath.Join(dir, "effective.tf"))})
	c.NeedRelease(t)
	var connect, idle, initial string // of the policies that Kuma 2 creates with the mesh
	if !cp.ControlPlane.Release.Kuma3() {
		connect, idle, initial = "5s", "30m0s", "mesh-timeout-all-shop"
	}
	want := map[string]any{
		"frontend-1": map[string]any{
			"backend":          timeouts("2s", "1s", idle, initial, "timeout-on-backend-service", "timeout-on-backend-service-override"),
			"route-to-backend": timeouts(connect, "10s", "1m0s", initial, "timeout-on-backend-route", "timeout-on-backend-route-override"),
		},
		"batch-1": map[string]any{
			"backend":          timeouts("2s", "5s", idle, initial, "timeout-on-backend-service"),
			"route-to-backend": timeouts(connect, "30s", "1m0s", initial, "timeout-on-backend-route"),
		},
	}
	check := func(plan string) {
		t.Helper()
		if diff := cmp.Diff(want, c.PlannedOutputs(t, plan)["timeouts"]); diff != "" {
			t.Errorf("effective timeouts of %s (-want +got):\n%s", plan, diff)
		}
	}

	out := c.Must(t, "plan", "-out=first")
	check("first")
	if strings.Contains(out, "known after apply") {
		t.Errorf("the first plan leaves something open:\n%s", out)
	}
	cp.Untouched(t)
	if out := c.Must(t, "apply", "first"); strings.Contains(out, "Check block assertion") {
		t.Errorf("a check fails:\n%s", out)
	}
	if out, code := c.Run(t, "plan", "-detailed-exitcode", "-out=second"); code != 0 {
		t.Errorf("the second plan has changes:\n%s", out)
	}
	check("second")

	change := c.Must(t, "plan", "-var", "frontend_request_timeout=500ms", "-out=change")
	want["frontend-1"].(map[string]any)["backend"] = timeouts("2s", "500ms", idle, initial, "timeout-on-backend-service", "timeout-on-backend-service-override")
	check("change")
	if !strings.Contains(change, "The frontend must give up on the backend after 1s") {
		t.Errorf("the check does not warn of the change:\n%s", change)
	}
	if cp.ControlPlane.Release.Kuma3() {
		readme := testworld.Text(t, testworld.Path("README.md"))
		for line := range strings.Lines(fmt.Sprint(c.PlannedOutputs(t, "change")["table"])) {
			if !strings.Contains(readme, line) {
				t.Errorf("README.md does not show %q", line)
			}
		}
	}

	c.Must(t, "destroy", "-auto-approve")
	if err := cp.IsEmpty(); err != nil {
		t.Error(err)
	}
}

// TestDemo runs the whole demonstration, and checks that each part contains
// what its title announces.
func TestDemo(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the demonstration is a script for bash")
	}
	built, err := providertest.Binary()
	testworld.NoError(t, err)
	script := testworld.Path("examples", "quickstart", "demo.sh")
	cmd := exec.CommandContext(t.Context(), bash, script)
	cmd.Env = append(os.Environ(), "TERRAFORM="+os.Getenv("TF_ACC_TERRAFORM_PATH"), "PROVIDER_DIR="+built, "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("demo.sh: %v\n%s", err, out)
	}
	intro, rest, _ := strings.Cut(string(out), "\n=== ")
	if intro != "" {
		t.Errorf("output before the first part:\n%s", intro)
	}
	if warnings := strings.Count(rest, "\nWarning: "); warnings != 1 {
		t.Errorf("%d warnings, want only the one of the check that fails:\n%s", warnings, rest)
	}
	parts := strings.Split(rest, "\n=== ")
	want := []struct {
		title string
		texts []string
	}{
		{"Apply eight policies and services, and two proxies", []string{"Plan: 10 to add, 0 to change, 0 to destroy.\nApply complete! Resources: 10 added"}},
		{"Plan of a change", []string{`"1s" -> "500ms"`, "The frontend must give up on the backend after 1s."}},
		{"Effective timeouts", []string{"\nPROXY ", "\nfrontend-1   backend            2s         1s ", "timeout-on-backend-service < timeout-on-backend-service-override"}},
		{"A second plan is empty", []string{"No changes.", "\n  mesh/dataplanes/shop/frontend-1.yaml\n"}},
		{"Clean up", []string{"Destroy complete! Resources: 10 destroyed."}},
		{"Impact of a change on a mesh of twenty proxies", []string{"Mesh shop: 8 of 20 dataplanes change.", "`http.requestTimeout`: `5s` → `2s`, set by payments"}},
		{"Import a mesh of 40 resources", []string{"resource \"kuma_mesh\" \"shop\" {", "Plan: 40 to import, 0 to add, 0 to change, 0 to destroy."}},
	}
	if announced := strings.Count(testworld.Text(t, script), "\nsay \""); announced != len(want) || len(parts) != len(want) {
		t.Fatalf("%d parts of %d that the script announces, want %d:\n%s", len(parts), announced, len(want), out)
	}
	for i, w := range want {
		if !strings.HasPrefix(parts[i], w.title) {
			t.Errorf("part %d begins with %.40q, want the title %q", i, parts[i], w.title)
		}
		for _, text := range w.texts {
			if !strings.Contains(parts[i], text) {
				t.Errorf("part %q: %q is missing in:\n%s", w.title, text, parts[i])
			}
		}
	}
}

// timeouts are those for one destination, and the policies that set them: first the one
// that was created with the mesh, which also sets the idle timeout of connections.
func timeouts(connect, request, idle, initial string, policies ...any) map[string]any {
	http := map[string]any{"requestTimeout": request}
	conf := map[string]any{"http": http}
	if idle != "" {
		http["streamIdleTimeout"] = idle
	}
	if connect != "" {
		conf["connectionTimeout"] = connect
	}
	if initial != "" {
		conf["idleTimeout"] = "1h0m0s"
		policies = append([]any{initial}, policies...)
	}
	return map[string]any{"conf": conf, "origin": policies}
}
