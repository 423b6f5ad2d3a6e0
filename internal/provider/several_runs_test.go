package provider_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// newSharedCore returns a core whose provider serves several runs.
func newSharedCore(t *testing.T) providertest.Core {
	t.Helper()
	c := providertest.NewCore(t, "shop")
	if !provider.ShareRuns(c.Server) {
		t.Error("a provider that was validated first serves one run")
	}
	return c
}

// runOnce refreshes, plans and applies, and returns what the apply says. Terraform plans a
// second time during the apply, except for deletions.
func runOnce(t *testing.T, c providertest.Core, typeName string, config tftypes.Value, prior providertest.Instance) (providertest.Instance, string) {
	t.Helper()
	c.ReadState(t, typeName, prior)
	if prior.Value.Type() != nil {
		prior = c.MustRefresh(t, typeName, prior)
	}
	planned := providertest.Change{TypeName: typeName, Config: config, Prior: prior, Planned: providertest.Instance{Value: config}}
	plans := 2
	if config.IsNull() {
		plans = 1
	}
	for range plans {
		resp := c.Propose(t, planned, prior)
		if providertest.HasErrors(resp.Diagnostics) {
			t.Fatal(providertest.Messages(resp.Diagnostics))
		}
		planned.Planned = providertest.Instance{
			Value: providertest.Unpack(t, resp.PlannedState, c.Schemas.ResourceSchemas[typeName].Block), Private: resp.PlannedPrivate, Identity: resp.PlannedIdentity,
		}
	}
	if planned.Empty() {
		return prior, ""
	}
	after, problems := c.CarryOut(t, planned)
	if providertest.HasErrors(problems) {
		t.Fatal(providertest.Messages(problems))
	}
	return after, providertest.Messages(problems)
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
			typeName, config, diags := c.Config(t, test.block)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			for range 2 {
				created, said := runOnce(t, c, typeName, config, providertest.Instance{})
				if said != "" {
					t.Errorf("the creation says %s", said)
				}
				kept, _ := runOnce(t, c, typeName, config, created)
				runOnce(t, c, typeName, tftypes.NewValue(config.Type(), nil), kept)
				var notFound *controlplane.NotFoundError
				k, _ := kinds.Find(test.key.Type)
				if _, err := c.Client.Get(t.Context(), k, test.key.Mesh, test.key.Name); !errors.As(err, &notFound) {
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
	var first providertest.Instance
	var typeName string
	for i := range 12 { // from the ninth on, they are read from a list
		var config tftypes.Value
		typeName, config, _ = c.Config(t, fmt.Sprintf(`
resource "kuma_secret" "x" {
  mesh = "shop"
  name = "s%d"
  data = "hunter2"
}`, i))
		created, _ := runOnce(t, c, typeName, config, providertest.Instance{})
		if i == 0 {
			first = created
		}
		c.MustRefresh(t, typeName, created)
	}
	testworld.NoError(t, c.Client.Delete(t.Context(), kinds.Secret, "shop", "s0"))
	c.ReadState(t, typeName, first)
	if gone := c.MustRefresh(t, typeName, first); gone.Value.Type() != nil {
		t.Errorf("a deleted secret comes back: %s", gone.Value)
	}
}
