resource "kuma_mesh_metric" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "all"
  labels = { team = "observability" }

  spec {
    target_ref {
      kind = "Mesh"
    }
    default {
      sidecar {
        include_unused = false
        profiles {
          append_profiles {
            name = "Basic"
          }
          exclude {
            type  = "Regex"
            match = "envoy_cluster_.*_internal"
          }
        }
      }
      applications {
        port = 9200
      }
      backends {
        type = "Prometheus"
        prometheus {
          path = "/metrics"
          tls {}
        }
      }
      backends {
        type = "OpenTelemetry"
        open_telemetry {
          endpoint         = "otel-collector:4317"
          refresh_interval = "90s" # respelled: "1m30s"
        }
      }
    }
  }
}
