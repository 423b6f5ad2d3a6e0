# A collector that accepts OTLP over HTTP below a path prefix. Environment
# variables of the proxies cannot change its address.

resource "kuma_mesh" "shop" {
  name = "shop"
}

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
