# On the global control plane: one name for the services checkout of all zones.
resource "kuma_mesh_multi_zone_service" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = { "kuma.io/display-name" = "checkout" }

  spec {
    selector {
      mesh_service {
        match_labels = { "kuma.io/display-name" = "checkout" }
      }
    }
    ports {
      port         = 80
      app_protocol = "http"
    }
  }
}
