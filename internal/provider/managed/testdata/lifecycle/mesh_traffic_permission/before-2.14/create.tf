resource "kuma_mesh_traffic_permission" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "backend"
  labels = { team = "backend" }

  spec {
    target_ref {
      kind = "MeshSubset"
      tags = { app = "backend" }
    }
    from {
      target_ref {
        kind = "MeshSubset"
        tags = { "kuma.io/service" = "web" }
      }
      default {
        action = "Allow"
      }
    }
  }
}
