resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_load_balancing_strategy" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "checkout" }
      }
      default {
        load_balancer {
          type = "LeastRequest"
          least_request {
            choice_count = 3
          }
        }
      }
    }
  }
}
