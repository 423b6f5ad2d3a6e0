resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_open_telemetry_backend" "example" {
  mesh = kuma_mesh.shop.name
  name = "collector"

  spec {
    endpoint {
      address = "otel.shop.internal"
    }
  }
}
