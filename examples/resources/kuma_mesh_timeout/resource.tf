resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_timeout" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "checkout" }
      }
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
  }
}
