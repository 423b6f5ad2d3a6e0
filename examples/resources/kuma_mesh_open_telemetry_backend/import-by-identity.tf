import {
  to = kuma_mesh_open_telemetry_backend.example
  identity = {
    mesh = "shop"
    name = "collector"
  }
}
