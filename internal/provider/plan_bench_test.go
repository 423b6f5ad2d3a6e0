package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

const benchPolicy = `resource "kuma_mesh_timeout" "web" {
  mesh   = "shop"
  name   = "web"
  labels = { team = "web" }
  spec {
    target_ref {
      kind = "Mesh"
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout       = "20s"
        connection_timeout = "2s"
        http {
          request_timeout     = "TIMEOUT"
          stream_idle_timeout = "10s"
        }
      }
    }
  }
}
`

// BenchmarkPlanResourceChange measures the plan of one typed resource: where the
// state does not have it, and where one value of it changes.
func BenchmarkPlanResourceChange(b *testing.B) {
	c := providertest.NewCore(b, "shop")
	config := func(timeout string) (string, tftypes.Value) {
		typeName, config, diags := c.Config(b, strings.Replace(benchPolicy, "TIMEOUT", timeout, 1))
		if diags.HasErrors() {
			b.Fatal(diags)
		}
		return typeName, config
	}
	typeName, first := config("15s")
	plan := func(b *testing.B, config tftypes.Value, prior providertest.Instance) {
		b.Helper()
		for b.Loop() {
			providertest.StartRun(c.Server)
			if resp := c.Propose(b, providertest.Change{TypeName: typeName, Config: config, Prior: prior}, prior); providertest.HasErrors(resp.Diagnostics) {
				b.Fatal(providertest.Messages(resp.Diagnostics))
			}
		}
	}
	b.Run("create", func(b *testing.B) {
		b.ReportAllocs()
		plan(b, first, providertest.Instance{})
	})
	written := c.Create(b, typeName, first)
	b.Run("update", func(b *testing.B) {
		b.ReportAllocs()
		_, second := config("25s")
		plan(b, second, written)
	})
}
