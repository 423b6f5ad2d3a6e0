# The whole mesh uses TLS 1.2 or later, and the proxies of a service that is
# being migrated also accept plaintext.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_tls" "versions" {
  mesh = kuma_mesh.shop.name
  name = "versions"

  spec {
    target_ref {
      kind = "Mesh"
    }
    rules {
      default {
        tls_version {
          min = "TLS12"
          max = "TLS13"
        }
        tls_ciphers = [
          "ECDHE-ECDSA-AES256-GCM-SHA384",
          "ECDHE-RSA-AES256-GCM-SHA384",
        ]
      }
    }
  }
}

# The warehouse still has clients outside the mesh: its HTTP port also accepts plaintext until
# they have moved.
resource "kuma_mesh_tls" "warehouse" {
  mesh = kuma_mesh.shop.name
  name = "warehouse-migration"

  spec {
    target_ref {
      kind         = "Dataplane"
      labels       = { app = "warehouse" }
      section_name = "http"
    }
    rules {
      default {
        mode = "Permissive"
      }
    }
  }
}
