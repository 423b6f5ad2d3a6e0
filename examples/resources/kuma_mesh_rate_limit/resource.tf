resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_rate_limit" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    rules {
      default {
        local {
          http {
            request_rate {
              num      = 100
              interval = "1s"
            }
          }
        }
      }
    }
  }
}
