resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_access_log" "example" {
  mesh = kuma_mesh.shop.name
  name = "all"

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        backends {
          type = "File"
          file {
            path = "/dev/stdout"
          }
        }
      }
    }
  }
}
