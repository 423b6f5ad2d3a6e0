resource "kuma_mesh_timeout" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "web"
  labels = { team = "web" }

  spec {
    target_ref {
      kind = "MeshSubset"
      tags = { app = "web" }
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        connection_timeout = "1500ms" # respelled: "1.5s"
        idle_timeout       = "90s" # respelled: "1m30s"
        http {
          request_timeout = "60s" # respelled: "1m"
        }
      }
    }
  }
}
