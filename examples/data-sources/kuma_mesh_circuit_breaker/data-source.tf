data "kuma_mesh_circuit_breaker" "example" {
  mesh = "shop"
  name = "checkout"
}

output "labels" {
  value = data.kuma_mesh_circuit_breaker.example.labels
}
