data "kuma_mesh_traffic_permission" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_mesh_traffic_permission.example.labels
}
