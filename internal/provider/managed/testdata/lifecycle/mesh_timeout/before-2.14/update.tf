resource "kuma_mesh_timeout" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind = "MeshSubset"
      tags = { app = "web" }
    }
    from {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          request_timeout     = "20s"
          stream_idle_timeout = "0s"
        }
      }
    }
    from {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout = "2h0m0s"
      }
    }
  }
}
