package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOrderGuide plans the example of the guide on how policies combine, which says what
// it outputs.
func TestOrderGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": testworld.Text(t, providertest.Examples+"/guides/order/main.tf")})
	c.Must(t, "plan", "-out=plan")
	outputs := c.PlannedOutputs(t, "plan")
	guide := testworld.Text(t, testworld.Path("templates", "guides", "how-policies-combine.md.tmpl"))
	findings, _ := outputs["findings"].([]any)
	if len(findings) != 1 {
		t.Fatalf("got %d findings, want 1: %v", len(findings), findings)
	}
	for _, text := range []any{outputs["impact"], findings[0]} {
		if shown := strings.TrimSpace(fmt.Sprint(text)); !strings.Contains(guide, shown) {
			t.Errorf("the guide does not show:\n%s", shown)
		}
	}
	testworld.Equal(t, "findings when the order is stable", []any{}, outputs["findings_when_stable"])
	if text := fmt.Sprint(outputs["impact_when_stable"]); !strings.Contains(text, "idleTimeout") || strings.Contains(text, "requestTimeout") {
		t.Errorf("impact when the order is stable:\n%s", text)
	}
}

// TestExampleOfPolicyGuide plans the quickstart, whose explanation and diagram with Kuma 3.0
// the guide on how policies combine shows.
func TestExampleOfPolicyGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	c := providertest.NewCLI(t, map[string]string{
		"main.tf":      providertest.ProviderBlock.ReplaceAllLiteralString(testworld.Text(t, providertest.Examples+"/quickstart/main.tf"), providertest.NewEmbeddedRelease(t, kuma.ParseRelease("3.0")).Config),
		"effective.tf": testworld.Text(t, providertest.Examples+"/quickstart/effective.tf"),
		"diagram.tf":   `output "diagram" { value = data.kuma_effective_rules.proxy["frontend-1"].diagram }`,
	})
	c.Must(t, "plan", "-out=plan")
	outputs := c.PlannedOutputs(t, "plan")
	guide := testworld.Text(t, testworld.Path("docs", "guides", "how-policies-combine.md"))
	for _, name := range []string{"why", "diagram"} {
		if shown := strings.TrimSpace(fmt.Sprint(outputs[name])); !strings.Contains(guide, shown) {
			t.Errorf("the guide does not show %s of the quickstart:\n%s", name, shown)
		}
	}
}

// TestWhatAProxyGetsGuide plans and tests the example of the guide, which shows its outputs.
func TestWhatAProxyGetsGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	files := map[string]string{"main.tf": testworld.Text(t, providertest.Examples+"/quickstart/main.tf")}
	for _, name := range []string{"questions.tf", "timeouts.tftest.hcl"} {
		text := testworld.Text(t, providertest.Examples+"/guides/what-a-proxy-gets/"+name)
		files[name] = strings.Replace(text, `"./.mesh"`, `"${path.root}/.mesh"`, 1) // an absolute path
	}
	c := providertest.NewCLI(t, files)
	c.Must(t, "plan", "-out=plan")
	outputs := c.PlannedOutputs(t, "plan")
	guide := testworld.Text(t, testworld.Path("templates", "guides", "what-a-proxy-gets.md.tmpl"))
	why, _ := outputs["why"].(map[string]any)
	digest := fmt.Sprintf("%.8s", outputs["digest"])
	for _, shown := range []string{
		fmt.Sprint(outputs["settings"]),
		fmt.Sprintf("%q = %q", "http.requestTimeout", why["http.requestTimeout"]),
		fmt.Sprintf("agreed_digest = %q", digest+"…"),
	} {
		if !strings.Contains(guide, shown) {
			t.Errorf("the guide does not show:\n%s", shown)
		}
	}
	agreed := fmt.Sprintf("agreed_digest=%s", outputs["digest"])
	if out := c.Must(t, "plan", "-var", agreed); strings.Contains(out, "Check block assertion failed") {
		t.Errorf("a check fails with the agreed digest:\n%s", out)
	}
	out := strings.Join(strings.Fields(c.Must(t, "plan", "-var", agreed, "-var", "frontend_request_timeout=2s")), " ")
	if changed := regexp.MustCompile(`The timeouts of frontend-1 have changed, to \w{8}`).FindString(out); changed == "" || !strings.Contains(guide, changed+"…") {
		t.Errorf("the guide does not show %q of:\n%s", changed, out)
	}
	c.Must(t, "test")
	before, after, _ := strings.Cut(files["main.tf"], `resource "kuma_mesh_timeout" "route_override"`)
	after = strings.Replace(after, "kuma_mesh_http_route.route_to_backend.labels", `{ app = "none" }`, 1)
	providertest.Write(t, c.Dir+"/main.tf", before+`resource "kuma_mesh_timeout" "route_override"`+after)
	out = strings.Join(strings.Fields(c.Must(t, "plan")), " ")
	for _, want := range []string{"http.requestTimeout = 30s ← timeout-on-backend-route", "targets MeshHTTPRoute with labels app=none, which does not exist"} {
		if !strings.Contains(out, want) {
			t.Errorf("no check says %q:\n%s", want, out)
		}
	}
	c.Refused(t, "http.requestTimeout = 30s", "test")
}
