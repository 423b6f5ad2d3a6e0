# The storefront only retries safe requests, waits as long as checkout requests,
# and does not use endpoints that failed before.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_retry" "storefront" {
  mesh = kuma_mesh.shop.name
  name = "storefront"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "storefront" }
    }
    to {
      target_ref {
        kind         = "MeshService"
        labels       = { app = "checkout" }
        section_name = "http"
      }
      default {
        http {
          num_retries     = 2
          per_try_timeout = "500ms"
          retry_on        = ["GatewayError", "503", "HttpMethodGet", "HttpMethodHead"]
          back_off {
            base_interval = "20ms"
            max_interval  = "1s"
          }
          rate_limited_back_off {
            max_interval = "30s"
            reset_headers {
              name   = "retry-after"
              format = "Seconds"
            }
          }
          host_selection {
            predicate = "OmitPreviousHosts"
          }
          host_selection_max_attempts = 3
        }
      }
    }
  }
}
