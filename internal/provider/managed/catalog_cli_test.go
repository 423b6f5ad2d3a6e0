package managed_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestCatalogOnTheCommandLine applies all accepted documents of all kinds in one
// configuration, in which all nested blocks are known only after the apply. It checks
// that the documents are stored, that the second plan is empty, and that the destroy
// removes everything.
func TestCatalogOnTheCommandLine(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewEmbedded(t) // the documents would replace what a real one has in its mesh "default"
	config, documents := providertest.CatalogConfiguration(t)
	config += strings.Replace(cp.Config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1)
	planned := make([]plancheck.PlanCheck, 0, len(documents))
	for address := range documents {
		planned = append(planned, plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		Steps: []resource.TestStep{{
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: planned, PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check: func(*terraform.State) error {
				for address, r := range documents {
					if diff := cmp.Diff(wouldStore(r), stores(t, cp, r)); diff != "" {
						t.Errorf("%s (-document +stored):\n%s", address, diff)
					}
				}
				return nil
			},
		}},
		CheckDestroy: func(*terraform.State) error { return cp.IsEmpty() },
	})
	t.Logf("%d documents of %d kinds", len(documents), len(kinds.All()))
}

// stores returns what the control plane has of a resource.
func stores(t *testing.T, cp providertest.ControlPlane, r kuma.Resource) map[string]any {
	t.Helper()
	k, _ := kinds.Find(r.Type)
	got, err := cp.Client.Get(context.Background(), k, r.Mesh, r.Name)
	if err != nil {
		t.Fatal(err)
	}
	return providertest.Canonical(k, got.Document())
}

// wouldStore returns what the control plane stores for a document.
func wouldStore(r kuma.Resource) map[string]any {
	k, _ := kinds.Find(r.Type)
	circumstances := def.StoreContext{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}, Create: true}
	return providertest.Canonical(k, k.Store(r, circumstances).Document())
}
