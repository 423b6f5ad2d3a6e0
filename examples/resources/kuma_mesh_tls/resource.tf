resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_tls" "example" {
  mesh = kuma_mesh.shop.name
  name = "strict"

  spec {
    rules {
      default {
        mode = "Strict"
      }
    }
  }
}
