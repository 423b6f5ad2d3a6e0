data "kuma_mesh_circuit_breaker" "example" {
  mesh = "shop"
  name = "checkout"
}
