resource "kuma_mesh_access_log" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        backends {
          type = "File"
          file {
            path = "/dev/stdout"
            format {
              type  = "Plain"
              plain = "%START_TIME%"
            }
          }
        }
        backends {
          type = "OpenTelemetry"
          open_telemetry {
            body = "{\"stringValue\":\"%PROTOCOL%\"}" # respelled: "{ \"stringValue\": \"%PROTOCOL%\" }"
            backend_ref {
              kind   = "MeshOpenTelemetryBackend"
              labels = { tier = "observability" }
            }
          }
        }
      }
    }
  }
}
