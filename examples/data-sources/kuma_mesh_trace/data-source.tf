data "kuma_mesh_trace" "example" {
  mesh = "shop"
  name = "everything"
}

output "labels" {
  value = data.kuma_mesh_trace.example.labels
}
