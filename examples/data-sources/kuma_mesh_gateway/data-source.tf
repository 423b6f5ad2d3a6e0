data "kuma_mesh_gateway" "example" {
  mesh = "shop"
  name = "edge"
}

output "labels" {
  value = data.kuma_mesh_gateway.example.labels
}
