resource "kuma_mesh_tls" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "versions"

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
        mode = "Permissive"
      }
    }
  }
}
