resource "kuma_mesh_rate_limit" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind        = "MeshSubset"
      tags        = { app = "web" }
      proxy_types = ["Sidecar"]
    }
    from {
      target_ref {
        kind = "Mesh"
      }
      default {
        local {
          http {
            request_rate {
              num      = 100
              interval = "60s" # respelled: "1m"
            }
            on_rate_limit {
              status = 429
              headers {
                add {
                  name  = "retry-after"
                  value = "60"
                }
              }
            }
          }
        }
      }
    }
  }
}
