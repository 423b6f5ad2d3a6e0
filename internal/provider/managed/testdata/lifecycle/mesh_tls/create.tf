resource "kuma_mesh_tls" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "versions"
  labels = { team = "security" }

  spec {
    target_ref {
      kind = "Mesh"
    }
    rules {
      default {
        mode = "Strict"
        tls_version {
          min = "TLS12"
          max = "TLSAuto"
        }
        tls_ciphers = ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305"]
      }
    }
  }
}
