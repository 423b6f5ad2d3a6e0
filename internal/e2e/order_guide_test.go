package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	if diff := cmp.Diff([]any{}, outputs["findings_when_stable"]); diff != "" {
		t.Errorf("findings when the order is stable (-want +got):\n%s", diff)
	}
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
