resource "kuma_mesh_metric" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "all"

  spec {
    default {
      explicitly_empty = ["applications"]
      backends {
        type = "OpenTelemetry"
        open_telemetry {
          backend_ref {
            kind   = "MeshOpenTelemetryBackend"
            labels = { tier = "observability" }
          }
          refresh_interval = "1m0s"
        }
      }
      backends {
        type = "Prometheus"
        prometheus {
          client_id = "main"
          port      = 5671
          path      = "/prom"
          tls {
            mode = "ProvidedTLS"
          }
        }
      }
    }
  }
}
