import {
  to = kuma_mesh_circuit_breaker.example
  id = "shop/checkout"
}
