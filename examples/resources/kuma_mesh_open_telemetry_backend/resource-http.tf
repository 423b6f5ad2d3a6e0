resource "kuma_mesh" "shop" {
  name = "shop"
}

# A collector that takes OTLP over HTTP below a path of its own, and whose address
# the environment of a proxy must not change.
resource "kuma_mesh_open_telemetry_backend" "collector" {
  mesh   = kuma_mesh.shop.name
  name   = "collector"
  labels = { team = "observability" }

  spec {
    protocol = "http"
    endpoint {
      address = "otel.shop.internal"
      port    = 4318
      path    = "/shop"
    }
    env {
      mode                   = "Optional"
      precedence             = "ExplicitFirst"
      allow_signal_overrides = false
    }
  }
}
