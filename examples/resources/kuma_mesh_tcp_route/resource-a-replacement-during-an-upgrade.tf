# While the database of the warehouse is upgraded, the proxies of checkout use
# the managed database outside the mesh, and for reports the one that spans
# zones.

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
    to {
      target_ref {
        kind         = "MeshService"
        labels       = { app = "warehouse-db" }
        section_name = "postgres-readonly"
      }
      rules {
        default {
          backend_refs {
            kind   = "MeshMultiZoneService"
            labels = { app = "warehouse-db" }
            port   = 5433
          }
        }
      }
    }
  }
}
