resource "kuma_mesh_access_log" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind = "MeshSubset"
      tags = { app = "web" }
    }
    from {
      target_ref {
        kind = "Mesh"
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
            endpoint = "otel-collector:4317"
            body     = jsonencode("%PROTOCOL%")
            attributes {
              key   = "service.mesh"
              value = "%KUMA_MESH%"
            }
          }
        }
      }
    }
    from {
      target_ref {
        kind = "Mesh"
      }
      default {
        explicitly_empty = ["backends"]
      }
    }
  }
}
