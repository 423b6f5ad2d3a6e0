data "kuma_mesh" "example" {
  name = "shop"
}

output "labels" {
  value = data.kuma_mesh.example.labels
}
