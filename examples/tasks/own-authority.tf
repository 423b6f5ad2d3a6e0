# A key is written to neither plan nor state.
variable "ca_key" {
  type      = string
  ephemeral = true
}

resource "kuma_secret" "ca_certificate" {
  mesh = kuma_mesh.shop.name
  name = "ca-certificate"
  data = file("${path.module}/ca.crt")
}

resource "kuma_secret" "ca_key" {
  mesh            = kuma_mesh.shop.name
  name            = "ca-key"
  data_wo         = var.ca_key
  data_wo_version = 1
}

resource "kuma_mesh_identity" "own" {
  mesh = kuma_mesh.shop.name
  name = "own"

  spec {
    selector {
      dataplane {
        match_labels = { "kuma.io/workload" = "checkout" }
      }
    }
    spiffe_id {
      trust_domain = "own.mesh.local"
      path         = "/workload/{{ .Workload }}"
    }
    provider {
      type = "Bundled"
      bundled {
        insecure_allow_self_signed = true # only for a self-signed authority
        ca {
          certificate {
            type = "Secret"
            secret_ref {
              kind = "Secret"
              name = kuma_secret.ca_certificate.name
            }
          }
          private_key {
            type = "Secret"
            secret_ref {
              kind = "Secret"
              name = kuma_secret.ca_key.name
            }
          }
        }
      }
    }
  }
}
