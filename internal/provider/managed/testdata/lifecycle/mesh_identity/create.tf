resource "kuma_mesh_identity" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "shop"

  spec {
    selector {
      dataplane {
        match_labels = {}
      }
    }
    provider {
      type = "Bundled"
      bundled {
        mesh_trust_creation        = "Enabled"
        insecure_allow_self_signed = false
        autogenerate {
          enabled = true
        }
        certificate_parameters {
          expiry = "24h" # respelled: "1440m"
        }
      }
    }
  }
}
