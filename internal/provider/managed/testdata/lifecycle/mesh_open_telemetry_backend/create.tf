resource "kuma_mesh_open_telemetry_backend" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "collector"

  spec {
    endpoint {
      address = "otel.example.com"
    }
    env {
      mode = "Optional"
    }
  }
}
