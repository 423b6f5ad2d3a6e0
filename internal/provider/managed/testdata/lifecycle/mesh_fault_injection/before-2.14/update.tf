resource "kuma_mesh_fault_injection" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind = "MeshGateway"
      name = "edge"
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          response_bandwidth {
            limit      = "50Mbps"
            percentage = "10"
          }
        }
      }
    }
  }
}
