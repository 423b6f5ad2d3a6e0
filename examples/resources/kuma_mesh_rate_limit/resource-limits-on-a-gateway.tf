# Kuma 2.x only. Limits on the requests that the gateway accepts from outside
# the mesh.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_rate_limit" "edge" {
  mesh = kuma_mesh.shop.name
  name = "edge"

  spec {
    target_ref {
      kind = "MeshGateway"
      name = "edge"
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        local {
          http {
            request_rate {
              num      = 1000
              interval = "1s"
            }
          }
        }
      }
    }
  }
}
