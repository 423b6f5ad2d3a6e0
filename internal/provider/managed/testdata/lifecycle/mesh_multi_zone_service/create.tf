resource "kuma_mesh_multi_zone_service" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "backend"

  spec {
    selector {
      mesh_service {
        match_labels = { app = "backend" }
      }
    }
    ports {
      port         = 8080
      app_protocol = "tcp"
    }
  }
}
