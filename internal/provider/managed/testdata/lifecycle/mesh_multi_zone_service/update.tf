resource "kuma_mesh_multi_zone_service" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "backend"
  labels = { app = "backend" }

  spec {
    selector {
      mesh_service {
        match_labels = {
          app  = "backend"
          tier = "production"
        }
      }
    }
    ports {
      name         = "http"
      port         = 8080
      app_protocol = "http"
    }
    ports {
      port = 9090
    }
  }
}
