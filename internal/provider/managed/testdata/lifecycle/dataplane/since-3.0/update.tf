resource "kuma_dataplane" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "web-1"
  labels = { "kuma.io/workload" = "shop" }

  networking {
    address = "10.0.0.5"
    inbound {
      port = 8081
    }
    outbound {
      port = 10001
      backend_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = "backend" }
        port   = 8080
      }
    }
  }
}
