resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_fault_injection" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    rules {
      default {
        http {
          abort {
            http_status = 503
            percentage  = 5
          }
        }
      }
    }
  }
}
