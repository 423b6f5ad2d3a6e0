data "kuma_mesh_service" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_mesh_service.example.labels
}
