data "kuma_mesh_timeout" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_mesh_timeout.example.labels
}
