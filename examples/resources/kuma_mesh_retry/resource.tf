resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_retry" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "checkout" }
      }
      default {
        http {
          num_retries = 3
          retry_on    = ["GatewayError", "ConnectFailure"]
        }
      }
    }
  }
}
