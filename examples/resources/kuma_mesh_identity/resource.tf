resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_identity" "example" {
  mesh = kuma_mesh.shop.name
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
        insecure_allow_self_signed = true # the generated authority is self-signed
        autogenerate {
          enabled = true
        }
      }
    }
  }
}
