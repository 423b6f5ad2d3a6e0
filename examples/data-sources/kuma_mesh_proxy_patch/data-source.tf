data "kuma_mesh_proxy_patch" "example" {
  mesh = "shop"
  name = "buffer-limit"
}

output "labels" {
  value = data.kuma_mesh_proxy_patch.example.labels
}
