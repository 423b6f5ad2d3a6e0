# The catalog of all zones under one name, with a port for customers and one for
# the back office.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_multi_zone_service" "catalog" {
  mesh   = kuma_mesh.shop.name
  name   = "catalog"
  labels = { team = "catalog" }

  spec {
    selector {
      mesh_service {
        match_labels = {
          app  = "catalog"
          tier = "production"
        }
      }
    }
    ports {
      name         = "http"
      port         = 80
      app_protocol = "http"
    }
    ports {
      name         = "grpc"
      port         = 9090
      app_protocol = "grpc"
    }
  }
}
