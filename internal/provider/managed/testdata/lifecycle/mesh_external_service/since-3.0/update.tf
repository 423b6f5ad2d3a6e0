resource "kuma_mesh_external_service" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "payments-api"

  spec {
    match {
      port     = 443
      protocol = "http"
    }
    extension {
      type   = "Lambda"
      config = "{\"arn\":\"b\",\"nested\":{\"none\":null,\"sizes\":[1,2.5,3]}}"
    }
    endpoints {
      address = "api.example.com"
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
        max = "TLS13"
      }
      verification {
        mode        = "SkipCA"
        server_name = "api.example.com"
        subject_alt_names {
          value = "api.example.com"
        }
        subject_alt_names {
          type  = "Prefix"
          value = "api."
        }
        ca_cert {
          type = "InsecureInline"
          insecure_inline {
            value = "certificate"
          }
        }
        client_cert {
          type = "Secret"
          secret_ref {
            kind = "Secret"
            name = "client-cert"
          }
        }
        client_key {
          type = "InsecureInline"
          insecure_inline {
            value = "secret"
          }
        }
      }
    }
  }
}
