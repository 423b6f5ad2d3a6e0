# The proxies of the payment team get short-lived certificates of an authority
# whose certificate and key are Secrets of the mesh.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_identity" "payments" {
  mesh   = kuma_mesh.shop.name
  name   = "payments"
  labels = { team = "security" }

  spec {
    selector {
      dataplane {
        match_labels = { team = "payments" }
      }
    }
    spiffe_id {
      trust_domain = "{{ .Mesh }}.{{ .Zone }}.shop.internal"
      path         = "/team/payments/{{ label \"kuma.io/workload\" }}"
    }
    provider {
      type = "Bundled"
      bundled {
        ca {
          certificate {
            type = "Secret"
            secret_ref {
              kind = "Secret"
              name = "payments-ca-certificate"
            }
          }
          private_key {
            type = "Secret"
            secret_ref {
              kind = "Secret"
              name = "payments-ca-key"
            }
          }
        }
        certificate_parameters {
          expiry = "8h"
        }
      }
    }
  }
}
