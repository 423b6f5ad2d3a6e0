resource "kuma_mesh_traffic_permission" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = kuma_dataplane.checkout.labels
    }
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.mesh.local/workload/storefront"
          }
        }
      }
    }
  }
}
