package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// TestSeveralRunsOfOneProvider checks that `terraform test` of Terraform 1.15 can
// plan, apply and destroy with one provider: planning again during the apply is not
// mistaken for a second block, and resources of an earlier run are deleted.
func TestSeveralRunsOfOneProvider(t *testing.T) {
	t.Parallel()
	c := newCore(t, "shop")
	run := c.server.(server).provider.run.Load()
	if run.Several {
		t.Error("a provider that was validated first serves one run")
	}
	run.Several = true
	typeName, config, diags := c.config(t, `
resource "kuma_mesh_timeout" "x" {
  mesh = "shop"
  name = "x"
  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout = "1m"
      }
    }
  }
}`)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	step := func(config tftypes.Value, prior instance) instance {
		t.Helper()
		c.readState(t, typeName, prior)
		planned := change{typeName: typeName, config: config, prior: prior}
		for range 2 { // for the plan, and for the apply
			resp := c.propose(t, planned, prior)
			if hasErrors(resp.Diagnostics) {
				t.Fatal(messages(resp.Diagnostics))
			}
			planned.planned = instance{unpack(t, resp.PlannedState, c.schemas.ResourceSchemas[typeName].Block), resp.PlannedPrivate, resp.PlannedIdentity}
		}
		after, problems := c.carryOut(t, planned)
		if hasErrors(problems) {
			t.Fatal(messages(problems))
		}
		return after
	}
	created := step(config, instance{})
	step(config, created)
	step(tftypes.NewValue(config.Type(), nil), created)
	var notFound *controlplane.NotFoundError
	if _, err := c.client.Get(t.Context(), kinds.MeshTimeout, "shop", "x"); !errors.As(err, &notFound) {
		t.Errorf("the resource was not deleted: %v", err)
	}
}
