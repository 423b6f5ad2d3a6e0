# Kuma 2.x only. The gateway of the storefront: plain HTTP for redirects, and HTTPS with a certificate
# from a Secret of the mesh.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_gateway" "storefront" {
  mesh   = kuma_mesh.shop.name
  name   = "storefront"
  labels = { team = "edge" }

  selectors {
    match = {
      "kuma.io/service" = "edge"
      region            = "*"
    }
  }
  tags = { vhost = "shop" }
  conf {
    listeners {
      port     = 8080
      protocol = "HTTP"
      hostname = "*.shop.example"
      tags     = { port = "http" }
      resources {
        connection_limit = 10000
      }
    }
    listeners {
      port     = 8443
      protocol = "HTTPS"
      hostname = "www.shop.example"
      tags     = { port = "https" }
      tls {
        mode = "TERMINATE"
        certificates {
          secret = "shop-certificate"
        }
      }
    }
  }
}
