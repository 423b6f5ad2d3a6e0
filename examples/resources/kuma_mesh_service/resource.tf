resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_service" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    selector {
      dataplane_tags = { "kuma.io/service" = "checkout" }
    }
    ports {
      port = 8080
    }
  }
}
