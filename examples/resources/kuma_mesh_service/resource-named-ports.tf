# A service with named ports, which policies can select by section_name, for the
# proxies with a label.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_service" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = { app = "checkout", team = "payments" }

  spec {
    selector {
      dataplane_labels {
        match_labels = { app = "checkout" }
      }
    }
    ports {
      name         = "http"
      port         = 80
      target_port  = 8080
      app_protocol = "http"
    }
    ports {
      name         = "admin"
      port         = 9901
      target_port  = "admin"
      app_protocol = "http"
    }
  }
}
