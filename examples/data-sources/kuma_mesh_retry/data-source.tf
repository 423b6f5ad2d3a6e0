data "kuma_mesh_retry" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_mesh_retry.example.labels
}
