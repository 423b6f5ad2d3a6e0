# While the database of the warehouse is upgraded, the proxies of checkout use the managed database
# outside the mesh.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_tcp_route" "warehouse" {
  mesh = kuma_mesh.shop.name
  name = "checkout-to-warehouse-db"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    to {
      target_ref {
        kind         = "MeshService"
        labels       = { app = "warehouse-db" }
        section_name = "postgres"
      }
      rules {
        default {
          backend_refs {
            kind   = "MeshExternalService"
            labels = { app = "warehouse-db-managed" }
          }
        }
      }
    }
  }
}
