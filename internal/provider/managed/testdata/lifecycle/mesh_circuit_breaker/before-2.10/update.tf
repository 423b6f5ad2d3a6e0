resource "kuma_mesh_circuit_breaker" "test" {
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
        connection_limits {
          max_requests = 100
        }
        outlier_detection {
          disabled             = true
          base_ejection_time   = "1m30s"
          max_ejection_percent = 0
          detectors {
            gateway_failures {
              consecutive = 9
            }
          }
        }
      }
    }
  }
}
