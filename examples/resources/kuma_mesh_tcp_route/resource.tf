resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_tcp_route" "example" {
  mesh = kuma_mesh.shop.name
  name = "orders-database"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { app = "orders-db" }
      }
      rules {
        default {
          backend_refs {
            kind   = "MeshService"
            labels = { app = "orders-db" }
            port   = 5432
            weight = 90
          }
          backend_refs {
            kind   = "MeshService"
            labels = { app = "orders-db-next" }
            port   = 5432
            weight = 10
          }
        }
      }
    }
  }
}
