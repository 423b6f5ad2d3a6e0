resource "kuma_mesh_retry" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind = "MeshSubset"
      tags = { app = "web" }
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        tcp {
          max_connect_attempt = 3
        }
        http {
          num_retries     = 2
          per_try_timeout = "1500ms" # respelled: "1.5s"
          retry_on        = ["5xx", "503"]
          back_off {
            base_interval = "60s" # respelled: "1m"
          }
          retriable_response_headers {
            name  = "x-retry"
            type  = "Exact"
            value = "yes"
          }
        }
      }
    }
  }
}
