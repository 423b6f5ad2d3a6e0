data "kuma_mesh_rate_limit" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_mesh_rate_limit.example.labels
}
