resource "kuma_mesh_gateway" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "edge"
  labels = { team = "edge" }

  selectors {
    match = { "kuma.io/service" = "edge" }
  }
  selectors {
    match = {
      "kuma.io/service" = "edge-2"
      region            = "*"
    }
  }
  tags = { vendor = "kuma" }
  conf {
    listeners {
      port     = 8080
      protocol = "HTTP"
      hostname = "*.shop.example"
      tags     = { port = "http" }
      resources {
        connection_limit = 1000
      }
    }
    listeners {
      port     = 8443
      protocol = "HTTPS"
      tls {
        mode = "TERMINATE"
        certificates {
          secret = "certificate"
        }
        certificates {
          inline = "c2VjcmV0"
        }
      }
    }
    listeners {
      port     = 9443
      protocol = "TLS"
      tls {
        mode = "PASSTHROUGH"
        options {}
      }
    }
  }
}
