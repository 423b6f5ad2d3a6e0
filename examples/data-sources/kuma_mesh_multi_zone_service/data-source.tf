data "kuma_mesh_multi_zone_service" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_mesh_multi_zone_service.example.labels
}
