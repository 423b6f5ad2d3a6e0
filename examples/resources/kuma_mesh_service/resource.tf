resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_service" "example" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = { app = "checkout" }

  spec {
    selector {
      dataplane_labels {
        match_labels = { app = "checkout" }
      }
    }
    ports {
      port        = 8080
      target_port = 8080
    }
  }
}
