# The API of a partner, which requires a client certificate. Certificate and key
# are Secrets of the mesh. This form needs Kuma 2.14.6 or later.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_external_service" "partner" {
  mesh = kuma_mesh.shop.name
  name = "partner-api"

  spec {
    match {
      port     = 80
      protocol = "http"
    }
    endpoints {
      address = "api.partner.example.com"
      port    = 443
    }
    tls {
      enabled = true
      verification {
        server_name = "api.partner.example.com"
        client_cert {
          type = "Secret"
          secret_ref {
            kind = "Secret"
            name = "partner-client-cert"
          }
        }
        client_key {
          type = "Secret"
          secret_ref {
            kind = "Secret"
            name = "partner-client-key"
          }
        }
      }
    }
  }
}
