resource "kuma_dataplane" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "web-1"
  labels = { app = "web" }

  networking {
    address = "10.0.0.5"
    inbound {
      port = 8080
      name = "http"
      tags = {
        "kuma.io/service" = "web"
      }
      service_probe {
        interval            = "10s" # respelled: "10000ms"
        timeout             = "1500ms" # respelled: "1.5s"
        unhealthy_threshold = 3
        healthy_threshold   = 1
        tcp {}
      }
    }
  }
}
