resource "kuma_mesh_circuit_breaker" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = "backend"
      }
      default {
        connection_limits {
          max_connections = 64
        }
        outlier_detection {
          interval = "90s" # respelled: "1m30s"
          detectors {
            total_failures {}
            success_rate {
              minimum_hosts             = 3
              standard_deviation_factor = "1.9"
            }
          }
        }
      }
    }
  }
}
