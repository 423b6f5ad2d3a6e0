resource "kuma_mesh_tcp_route" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "db"

  spec {
    to {
      target_ref {
        kind = "MeshExternalService"
        name = "db"
      }
      explicitly_empty = ["rules"]
    }
    to {
      target_ref {
        kind = "MeshService"
        name = "db"
      }
      rules {
        default {
          backend_refs {
            kind   = "MeshMultiZoneService"
            name   = "db"
            port   = 5432
            weight = 0
          }
          backend_refs {
            kind = "MeshService"
            name = "db"
            port = 5432
          }
        }
      }
    }
  }
}
