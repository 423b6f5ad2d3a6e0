resource "kuma_mesh_service" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "backend"
  labels = { app = "backend" }

  spec {
    selector {
      dataplane_labels {
        match_labels = { app = "backend" }
      }
    }
    ports {
      name         = "http"
      port         = 8080
      target_port  = "main"
      app_protocol = "http"
    }
    ports {
      port = 9090
    }
  }
}
