# Checkout sends a tenth of its traces to the collector, with the tenant as a
# tag.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_trace" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    default {
      backends {
        type = "OpenTelemetry"
        open_telemetry {
          backend_ref {
            kind   = "MeshOpenTelemetryBackend"
            labels = { tier = "observability" }
          }
        }
      }
      sampling {
        random = 10
        client = "2.5"
      }
      tags {
        name    = "environment"
        literal = "production"
      }
      tags {
        name = "tenant"
        header {
          name    = "x-tenant"
          default = "none"
        }
      }
    }
  }
}
