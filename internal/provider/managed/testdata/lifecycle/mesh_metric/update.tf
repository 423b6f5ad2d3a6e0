resource "kuma_mesh_metric" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "all"

  spec {
    default {
      explicitly_empty = ["applications"]
      backends {
        type = "OpenTelemetry"
        open_telemetry {
          endpoint         = "otel-collector:4317"
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
