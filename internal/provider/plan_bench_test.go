package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
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
	c := newCore(b, "shop")
	config := func(timeout string) (string, tftypes.Value) {
		typeName, config, diags := c.config(b, strings.Replace(benchPolicy, "TIMEOUT", timeout, 1))
		if diags.HasErrors() {
			b.Fatal(diags)
		}
		return typeName, config
	}
	typeName, first := config("15s")
	plan := func(b *testing.B, config tftypes.Value, prior instance) {
		b.Helper()
		for b.Loop() {
			StartRun(c.server)
			if resp := c.propose(b, change{typeName: typeName, config: config, prior: prior}, prior); HasErrors(resp.Diagnostics) {
				b.Fatal(messages(resp.Diagnostics))
			}
		}
	}
	b.Run("create", func(b *testing.B) {
		b.ReportAllocs()
		plan(b, first, instance{})
	})
	written := c.create(b, typeName, first)
	b.Run("update", func(b *testing.B) {
		b.ReportAllocs()
		_, second := config("25s")
		plan(b, second, written)
	})
}
