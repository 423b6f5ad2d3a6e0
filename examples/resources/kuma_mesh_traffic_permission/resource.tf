resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_traffic_permission" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.zone-1.mesh.local/workload/storefront"
          }
        }
      }
    }
  }
}
