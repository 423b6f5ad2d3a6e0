# The API of the payment provider over TLS, with a second endpoint for failover.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_external_service" "payments" {
  mesh   = kuma_mesh.shop.name
  name   = "payments-api"
  labels = { team = "payments" }

  spec {
    match {
      port     = 80
      protocol = "http"
    }
    endpoints {
      address = "api.payments.example.com"
      port    = 443
    }
    endpoints {
      address  = "192.0.2.4"
      port     = 8443
      priority = 1
    }
    tls {
      enabled = true
      version {
        min = "TLS12"
      }
      verification {
        server_name = "api.payments.example.com"
        subject_alt_names {
          value = "api.payments.example.com"
        }
        subject_alt_names {
          type  = "Prefix"
          value = "backup."
        }
      }
    }
  }
}
