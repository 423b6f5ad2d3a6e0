data "kuma_mesh_access_log" "example" {
  mesh = "shop"
  name = "all"
}

output "labels" {
  value = data.kuma_mesh_access_log.example.labels
}
