data "kuma_mesh_tls" "example" {
  mesh = "shop"
  name = "strict"
}

output "labels" {
  value = data.kuma_mesh_tls.example.labels
}
