resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_circuit_breaker" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "checkout" }
      }
      default {
        connection_limits {
          max_connections      = 100
          max_pending_requests = 50
        }
      }
    }
  }
}
