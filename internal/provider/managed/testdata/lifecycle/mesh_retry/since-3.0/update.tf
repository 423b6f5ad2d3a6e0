resource "kuma_mesh_retry" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = "backend" }
      }
      default {
        http {
          num_retries = 0
          retriable_request_headers {
            name  = "x-retry"
            value = "yes"
          }
          host_selection {
            predicate = "OmitHostsWithTags"
            tags      = { version = "canary" }
          }
        }
        grpc {
          retry_on = ["Unavailable"]
          rate_limited_back_off {
            max_interval = "1m0s"
            reset_headers {
              name   = "retry-after"
              format = "Seconds"
            }
          }
        }
      }
    }
  }
}
