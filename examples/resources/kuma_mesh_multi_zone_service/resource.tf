resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_multi_zone_service" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    selector {
      mesh_service {
        match_labels = { app = "checkout" }
      }
    }
    ports {
      port = 8080
    }
  }
}
