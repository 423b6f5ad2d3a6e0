import {
  to = kuma_mesh_load_balancing_strategy.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
