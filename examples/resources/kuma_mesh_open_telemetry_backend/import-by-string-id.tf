import {
  to = kuma_mesh_open_telemetry_backend.example
  id = "shop/collector"
}
