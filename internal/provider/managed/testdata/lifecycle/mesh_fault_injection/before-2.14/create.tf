resource "kuma_mesh_fault_injection" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind        = "MeshSubset"
      tags        = { app = "web" }
      proxy_types = ["Sidecar"]
    }
    from {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          abort {
            http_status = 503
            percentage  = "50" # respelled: 50
          }
        }
        http {
          delay {
            value      = "1500ms" # respelled: "1.5s"
            percentage = "12.5"
          }
        }
      }
    }
  }
}
