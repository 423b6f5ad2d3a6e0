resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_passthrough" "example" {
  mesh = kuma_mesh.shop.name
  name = "closed"

  spec {
    default {
      passthrough_mode = "None"
    }
  }
}
