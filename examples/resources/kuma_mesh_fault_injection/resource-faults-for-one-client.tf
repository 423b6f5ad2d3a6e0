# A game day: requests of the storefront to checkout are delayed, and some of
# them fail. Other clients are not affected.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_fault_injection" "game_day" {
  mesh = kuma_mesh.shop.name
  name = "game-day"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    rules {
      matches {
        spiffe_id {
          type  = "Exact"
          value = "spiffe://shop.default.mesh.local/workload/storefront"
        }
      }
      default {
        http {
          delay {
            value      = "2s"
            percentage = 20
          }
        }
        http {
          abort {
            http_status = 500
            percentage  = "0.5"
          }
        }
      }
    }
  }
}
