resource "kuma_mesh_open_telemetry_backend" "test" {
  mesh   = kuma_mesh.lifecycle.name
  name   = "collector"
  labels = { tier = "observability" }

  spec {
    protocol = "http"
    endpoint {
      address = "otel.example.com"
      port    = 4318
      path    = "/otlp"
    }
    env {
      mode                   = "Required"
      precedence             = "ExplicitFirst"
      allow_signal_overrides = false
    }
  }
}
