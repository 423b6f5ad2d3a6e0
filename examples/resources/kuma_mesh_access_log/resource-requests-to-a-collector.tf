# Requests to checkout are logged to an OpenTelemetry collector. The route of the health check is not
# logged.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_access_log" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
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
            attributes {
              key   = "shop.mesh"
              value = "%KUMA_MESH%"
            }
            body = jsonencode({
              kvlistValue = {
                values = [
                  { key = "path", value = { stringValue = "%REQ(:path)%" } },
                  { key = "status", value = { stringValue = "%RESPONSE_CODE%" } },
                ]
              }
            })
          }
        }
      }
    }
    to {
      target_ref {
        kind   = "MeshHTTPRoute"
        labels = { route = "checkout-health" }
      }
      default {
        explicitly_empty = ["backends"]
      }
    }
  }
}
