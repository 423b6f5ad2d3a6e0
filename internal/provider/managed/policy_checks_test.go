package managed_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// perRoute sets a timeout that has no effect on a route.
const perRoute = `
resource "kuma_mesh_timeout" "test" {
  name = "web"
  spec {
    to {
      target_ref {
        kind   = "MeshHTTPRoute"
        labels = { "kuma.io/display-name" = "web" }
      }
      default {
        idle_timeout = "1m"
      }
    }
  }
}
resource "kuma_manifest" "test" {
  manifest = { type = "MeshTimeout", name = "same", spec = { to = [{ targetRef = { kind = "MeshHTTPRoute", labels = { "kuma.io/display-name" = "web" } }, default = { idleTimeout = "1m" } }] } }
}
`

func TestPolicyChecks(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Since("2.11"))
	with := func(checks string) string {
		return strings.Replace(cp.Config, "provider \"kuma\" {", "provider \"kuma\" {\n  policy_checks = \""+checks+"\"\n", 1) + perRoute
	}
	planned := resource.ConfigPlanChecks{PostApplyPreRefresh: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction("kuma_mesh_timeout.test", plancheck.ResourceActionCreate),
		plancheck.ExpectResourceAction("kuma_manifest.test", plancheck.ResourceActionCreate),
	}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		Steps: []resource.TestStep{
			{Config: cp.Config + perRoute, PlanOnly: true, ExpectError: providertest.Expression(`idle_timeout has no effect on a route .* idle_timeout = "1m"`)},
			{Config: cp.Config + perRoute, PlanOnly: true, ExpectError: providertest.Expression(`spec\.to\[0\]\.default\.idleTimeout: Proxies ignore`)},
			{Config: with("of"), PlanOnly: true, ExpectError: providertest.Expression(`Invalid value .* policy_checks = "of" .* Did you mean "off"\?`)},
			{Config: with("warning"), PlanOnly: true, ExpectNonEmptyPlan: true, ConfigPlanChecks: planned},
			{Config: with("off"), PlanOnly: true, ExpectNonEmptyPlan: true, ConfigPlanChecks: planned},
		},
	})
}
