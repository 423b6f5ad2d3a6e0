data "kuma_mesh_open_telemetry_backend" "example" {
  mesh = "shop"
  name = "collector"
}
