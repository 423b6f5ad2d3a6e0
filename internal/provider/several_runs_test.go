package provider

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// newSharedCore returns a core whose provider serves several runs.
func newSharedCore(t *testing.T) core {
	t.Helper()
	c := newCore(t, "shop")
	if !ShareRuns(c.server) {
		t.Error("a provider that was validated first serves one run")
	}
	return c
}

// runOnce refreshes, plans and applies, and returns what the apply says. Terraform plans a
// second time during the apply, except for deletions.
func (c core) runOnce(t *testing.T, typeName string, config tftypes.Value, prior instance) (instance, string) {
	t.Helper()
	c.readState(t, typeName, prior)
	if prior.value.Type() != nil {
		prior = c.refresh(t, typeName, prior)
	}
	planned := change{typeName: typeName, config: config, prior: prior, planned: instance{value: config}}
	plans := 2
	if config.IsNull() {
		plans = 1
	}
	for range plans {
		resp := c.propose(t, planned, prior)
		if HasErrors(resp.Diagnostics) {
			t.Fatal(messages(resp.Diagnostics))
		}
		planned.planned = instance{unpack(t, resp.PlannedState, c.schemas.ResourceSchemas[typeName].Block), resp.PlannedPrivate, resp.PlannedIdentity}
	}
	if planned.empty() {
		return prior, ""
	}
	after, problems := c.carryOut(t, planned)
	if HasErrors(problems) {
		t.Fatal(messages(problems))
	}
	return after, messages(problems)
}

// TestSeveralRunsOfOneProvider checks that `terraform test` of Terraform 1.15 can
// plan, apply and destroy with one provider: planning again during the apply is not
// mistaken for a second block, resources of an earlier run are deleted, and what an earlier
// run deleted is new.
func TestSeveralRunsOfOneProvider(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		key   kuma.Key
		block string
	}{
		{kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "x"}, `
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
}`},
		{kuma.MeshKey("other"), `
resource "kuma_mesh" "x" {
  name                           = "other"
  skip_creating_initial_policies = ["*"]
}`},
	} {
		t.Run(test.key.Type, func(t *testing.T) {
			t.Parallel()
			c := newSharedCore(t)
			typeName, config, diags := c.config(t, test.block)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			for range 2 {
				created, said := c.runOnce(t, typeName, config, instance{})
				if said != "" {
					t.Errorf("the creation says %s", said)
				}
				kept, _ := c.runOnce(t, typeName, config, created)
				c.runOnce(t, typeName, tftypes.NewValue(config.Type(), nil), kept)
				var notFound *controlplane.NotFoundError
				k, _ := kinds.Find(test.key.Type)
				if _, err := c.client.Get(t.Context(), k, test.key.Mesh, test.key.Name); !errors.As(err, &notFound) {
					t.Errorf("the resource was not deleted: %v", err)
				}
			}
		})
	}
}

// TestNextRunReadsAgain checks that a run does not see what an earlier one has read from a
// list, if another client has deleted it since.
func TestNextRunReadsAgain(t *testing.T) {
	t.Parallel()
	c := newSharedCore(t)
	var first instance
	var typeName string
	for i := range 12 { // from the ninth on, they are read from a list
		var config tftypes.Value
		typeName, config, _ = c.config(t, fmt.Sprintf(`
resource "kuma_secret" "x" {
  mesh = "shop"
  name = "s%d"
  data = "hunter2"
}`, i))
		created, _ := c.runOnce(t, typeName, config, instance{})
		if i == 0 {
			first = created
		}
		c.refresh(t, typeName, created)
	}
	if err := c.client.Delete(t.Context(), kinds.Secret, "shop", "s0"); err != nil {
		t.Fatal(err)
	}
	c.readState(t, typeName, first)
	if gone := c.refresh(t, typeName, first); gone.value.Type() != nil {
		t.Errorf("a deleted secret comes back: %s", gone.value)
	}
}
