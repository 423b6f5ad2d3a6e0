resource "kuma_mesh_tcp_route" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "db"

  spec {
    target_ref {
      kind = "Dataplane"
      labels = {
        app = "web"
      }
    }
    to {
      target_ref {
        kind         = "MeshService"
        name         = "db"
        section_name = "pg"
      }
      rules {
        default {
          backend_refs {
            kind = "MeshService"
            name = "db"
            port = 5432
          }
          backend_refs {
            kind   = "MeshService"
            labels = { "kuma.io/display-name" = "db-canary" }
            port   = 5432
            weight = 1
          }
        }
      }
    }
  }
}
