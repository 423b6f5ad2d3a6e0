data "kuma_mesh_metric" "example" {
  mesh = "shop"
  name = "everything"
}

output "labels" {
  value = data.kuma_mesh_metric.example.labels
}
