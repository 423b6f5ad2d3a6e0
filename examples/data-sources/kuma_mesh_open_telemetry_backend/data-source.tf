data "kuma_mesh_open_telemetry_backend" "example" {
  mesh = "shop"
  name = "collector"
}

output "labels" {
  value = data.kuma_mesh_open_telemetry_backend.example.labels
}
