resource "kuma_mesh_access_log" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind         = "Dataplane"
      labels       = { app = "web" }
      section_name = "http"
    }
    rules {
      matches {
        spiffe_id {
          type  = "Prefix"
          value = "spiffe://shop/ns/web"
        }
      }
      default {
        backends {
          type = "Tcp"
          tcp {
            address = "logs.internal:5514"
            format {
              type              = "Json"
              omit_empty_values = true
              json {
                key   = "at"
                value = "%START_TIME%"
              }
            }
          }
        }
        backends {
          type = "OpenTelemetry"
          open_telemetry {
            body = jsonencode("%PROTOCOL%")
            attributes {
              key   = "service.mesh"
              value = "%KUMA_MESH%"
            }
            backend_ref {
              kind   = "MeshOpenTelemetryBackend"
              labels = { tier = "observability" }
            }
          }
        }
      }
    }
    rules {
      default {
        explicitly_empty = ["backends"]
      }
    }
  }
}
