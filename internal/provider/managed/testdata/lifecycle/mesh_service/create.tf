resource "kuma_mesh_service" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "backend"

  spec {
    selector {
      dataplane_tags = { app = "backend" }
    }
    ports {
      port         = 8080
      target_port  = "8081" # respelled: 8081
      app_protocol = "tcp"
    }
  }
}
