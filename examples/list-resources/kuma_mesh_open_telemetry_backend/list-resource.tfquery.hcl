# Every MeshOpenTelemetryBackend in the mesh "shop" that a configuration can manage.
list "kuma_mesh_open_telemetry_backend" "shop" {
  provider         = kuma
  include_resource = true

  config {
    mesh      = "shop"
    unmanaged = true
  }
}
