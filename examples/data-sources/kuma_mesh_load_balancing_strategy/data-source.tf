data "kuma_mesh_load_balancing_strategy" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_mesh_load_balancing_strategy.example.labels
}
