resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_timeout" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = "checkout"
      }
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
  }
}
