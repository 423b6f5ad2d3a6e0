# The storefront checks its services by their own protocols. Failed checks are
# logged to a file.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_health_check" "storefront" {
  mesh = kuma_mesh.shop.name
  name = "storefront"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "storefront" }
    }
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "checkout" }
      }
      default {
        interval                         = "10s"
        timeout                          = "2s"
        unhealthy_threshold              = 3
        healthy_threshold                = 2
        interval_jitter_percent          = 10
        event_log_path                   = "/var/log/kuma/health.log"
        always_log_health_check_failures = true
        http {
          path              = "/health"
          expected_statuses = [200, 204]
        }
      }
    }
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "stock" }
      }
      default {
        grpc {
          service_name = "shop.Stock"
        }
      }
    }
  }
}
