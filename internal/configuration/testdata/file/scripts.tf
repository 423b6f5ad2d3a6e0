resource "kuma_mesh_proxy_patch" "patch" {
  name = "patch"
  mesh = "shop"

  spec {
    default {
      append_modifications {
        cluster {
          operation = "Add"
          value     = <<EOT
name: $${cluster}
type: STATIC
EOT
        }
      }

      append_modifications {
        cluster {
          operation = "Add"
          value     = "name: one line\n"
        }
      }
    }
  }
}

import {
  to = kuma_mesh_proxy_patch.patch
  id = "shop/patch"
}
