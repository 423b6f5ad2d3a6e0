resource "kuma_mesh_traffic_permission" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "backend"

  spec {
    rules {
      default {
        explicitly_empty = ["deny"]
        allow_with_shadow_deny {
          sni {
            type  = "Exact"
            value = "backend.example.com"
          }
        }
      }
    }
  }
}
