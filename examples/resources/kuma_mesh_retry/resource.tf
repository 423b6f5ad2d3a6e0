resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_retry" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = "checkout"
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
