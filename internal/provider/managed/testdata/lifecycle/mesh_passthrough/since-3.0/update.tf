resource "kuma_mesh_passthrough" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind = "Dataplane"
      labels = {
        app = "web"
      }
    }
    default {
      append_match {
        type  = "CIDR"
        value = "198.51.100.0/24"
        port  = 5432
      }
      append_match {
        type     = "Domain"
        value    = "grpc.example.org"
        protocol = "grpc"
        port     = 443
      }
    }
  }
}
