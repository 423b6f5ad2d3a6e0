resource "kuma_dataplane" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web-1"

  networking {
    address = "10.0.0.5"
    gateway {
      tags = {
        "kuma.io/service" = "edge"
      }
    }
    outbound {
      port = 10001
      backend_ref {
        kind = "MeshService"
        name = "backend"
        port = 8080
      }
    }
  }
}
