resource "kuma_mesh_passthrough" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "web"
  labels = { team = "web" }

  spec {
    target_ref {
      kind        = "Mesh"
      proxy_types = ["Sidecar"]
    }
    default {
      passthrough_mode = "Matched"
      append_match {
        type     = "Domain"
        value    = "*.example.com"
        protocol = "tls"
        port     = 443
      }
      append_match {
        type     = "IP"
        value    = "192.0.2.10"
        protocol = "tcp"
      }
    }
  }
}
