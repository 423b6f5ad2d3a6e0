data "kuma_mesh_passthrough" "example" {
  mesh = "shop"
  name = "closed"
}

output "labels" {
  value = data.kuma_mesh_passthrough.example.labels
}
