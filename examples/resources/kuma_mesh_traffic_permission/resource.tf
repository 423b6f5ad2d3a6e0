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
            type = "Exact"
            # The trust domain of the MeshIdentity: by default MESH.ZONE.mesh.local.
            # The name is the label kuma.io/workload of the Dataplane.
            value = "spiffe://shop.default.mesh.local/workload/storefront"
          }
        }
      }
    }
  }
}
