resource "kuma_mesh" "shop" {
  name = "shop"
}

# A game day: the storefront finds checkout slow, and now and then broken. Other
# clients notice nothing.
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
          value = "spiffe://shop/ns/web/sa/storefront"
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
        http {
          response_bandwidth {
            limit      = "256 kbps"
            percentage = 10
          }
        }
      }
    }
  }
}
