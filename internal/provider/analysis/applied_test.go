package analysis_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestImpactReadAfterApply checks that the impact is that of the applied changes, with
// a warning, if unknown values make Terraform read it after it has written.
func TestImpactReadAfterApply(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	c := newDestroyedWorld(t, nil)
	edit := func(file string, pairs ...string) {
		t.Helper()
		file = filepath.Join(c.Dir, file)
		providertest.Write(t, file, testworld.Edited(t, testworld.Text(t, file), pairs...))
	}
	providertest.Write(t, filepath.Join(c.Dir, "unknown.tf"), `
resource "terraform_data" "limit" { input = "9s" }
output "applied" { value = data.kuma_policy_impact.shop.applied }
output "summary" { value = data.kuma_policy_impact.shop.summary }
`)
	edit("block.tf", `"3s"`, "terraform_data.limit.output")
	edit("counted.tf", `"1s"`, `"8s"`)
	edit("main.tf", "[\"web-1\"]", "[\"web-1\", \"web-2\"]")
	edit("impact.tf", "values(kuma_dataplane.web)", "values(kuma_dataplane.web), [kuma_mesh_timeout.block], kuma_mesh_timeout.counted")

	c.Must(t, "plan", "-out=plan")
	if summary := c.PlannedOutputs(t, "plan")["summary"]; summary != nil {
		t.Fatalf("the impact is known when planning: %s", summary)
	}
	out := c.Must(t, "apply", "plan")
	if want := "Warning: Data source read after the apply"; !strings.Contains(out, want) {
		t.Errorf("the apply does not warn, %q:\n%s", want, out)
	}
	outputs := c.Outputs(t)
	want := map[string]any{"gone": []any{}, "changes": []any{`db-1 web-1 connectionTimeout "1s" "8s"`, `db-1 web-1 http.requestTimeout "3s" "9s"`}}
	testworld.Equal(t, "impact after the apply", want, outputs["impact"])
	summary, _ := outputs["summary"].(string)
	for _, part := range []string{"Read after the apply: changes are relative to what was stored before the first write of the run.\n\nMesh shop: every dataplane changes, 1 is added.\n", "1 dataplane is added: web-2"} {
		if !strings.Contains(summary, part) {
			t.Errorf("the summary does not say %q:\n%s", part, summary)
		}
	}
	if outputs["applied"] != true {
		t.Errorf("applied = %v after the apply", outputs["applied"])
	}

	c.Must(t, "plan", "-out=plan")
	if got := c.PlannedOutputs(t, "plan"); got["applied"] != false || cmp.Diff(destroyedWorldUnchanged, got["impact"]) != "" {
		t.Errorf("the next plan says %v", got)
	}
}

// TestImpactReadAfterFirstApply checks that all is new in a mesh that the run has
// created.
func TestImpactReadAfterFirstApply(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t, providertest.Writes(kinds.Dataplane))
	c := providertest.NewCLI(t, map[string]string{
		"provider.tf": providertest.RequiredProvider + cp.Config,
		"main.tf": strings.NewReplacer(`"10.0.0.5"`, "terraform_data.address.output").Replace(cp.Adapted(destroyedWorld["main.tf"])) +
			"\nresource \"terraform_data\" \"address\" { input = \"10.0.0.7\" }\noutput \"summary\" { value = data.kuma_policy_impact.shop.summary }\n",
		"impact.tf": destroyedWorld["impact.tf"],
	})
	c.Must(t, "apply", "-auto-approve")
	summary, _ := c.Outputs(t)["summary"].(string)
	if want := "2 dataplanes are added: db-1 and web-1"; !strings.Contains(summary, want) {
		t.Errorf("the summary does not say %q:\n%s", want, summary)
	}
}
