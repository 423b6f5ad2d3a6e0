resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_proxy_patch" "example" {
  mesh = kuma_mesh.shop.name
  name = "buffer-limit"

  spec {
    default {
      append_modifications {
        cluster {
          operation = "Patch"
          match {
            origin = "outbound"
          }
          json_patches {
            op    = "add"
            path  = "/perConnectionBufferLimitBytes"
            value = jsonencode(32768)
          }
        }
      }
    }
  }
}
