resource "kuma_mesh_proxy_patch" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "web"
  labels = { team = "web" }

  spec {
    target_ref {
      kind = "MeshSubset"
      tags = { app = "web" }
    }
    default {
      append_modifications {
        cluster {
          operation = "Add"
          value     = "name: extra\ntype: STATIC\n"
        }
      }
      append_modifications {
        virtual_host {
          operation = "Patch"
          match {
            origin = "outbound"
          }
          json_patches {
            op    = "add"
            path  = "/retryPolicy"
            value = jsonencode({ numRetries = 2, retryOn = "5xx" }) # respelled: "{ \"retryOn\": \"5xx\", \"numRetries\": 2.0 }"
          }
          json_patches {
            op    = "replace"
            path  = "/includeRequestAttemptCount"
            value = true # respelled: jsonencode(true)
          }
        }
      }
    }
  }
}
