# Clients stop calling failing endpoints of checkout, but eject at most half of
# them.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_circuit_breaker" "outliers" {
  mesh = kuma_mesh.shop.name
  name = "checkout-outliers"

  spec {
    to {
      target_ref {
        kind         = "MeshService"
        labels       = { app = "checkout" }
        section_name = "http"
      }
      default {
        outlier_detection {
          interval                        = "5s"
          base_ejection_time              = "30s"
          max_ejection_percent            = 50
          healthy_panic_threshold         = "33.3"
          split_external_and_local_errors = true
          detectors {
            gateway_failures {
              consecutive = 5
            }
            local_origin_failures {
              consecutive = 3
            }
            failure_percentage {
              minimum_hosts  = 3
              request_volume = 50
              threshold      = 60
            }
          }
        }
      }
    }
  }
}
