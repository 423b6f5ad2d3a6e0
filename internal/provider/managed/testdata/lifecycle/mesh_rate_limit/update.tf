resource "kuma_mesh_rate_limit" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind        = "Mesh"
      proxy_types = ["Gateway"]
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        local {
          http {
            disabled = true
          }
          tcp {
            connection_rate {
              num      = 50
              interval = "1.5s"
            }
          }
        }
      }
    }
  }
}
