import {
  to = kuma_mesh_circuit_breaker.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
