data "kuma_mesh_external_service" "example" {
  mesh = "shop"
  name = "payments-api"
}

output "labels" {
  value = data.kuma_mesh_external_service.example.labels
}
