data "kuma_mesh_identity" "example" {
  mesh = "shop"
  name = "shop"
}

output "labels" {
  value = data.kuma_mesh_identity.example.labels
}
