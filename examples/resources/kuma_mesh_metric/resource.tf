resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_metric" "example" {
  mesh = kuma_mesh.shop.name
  name = "everything"

  spec {
    default {
      backends {
        type = "Prometheus"
        prometheus {}
      }
    }
  }
}
