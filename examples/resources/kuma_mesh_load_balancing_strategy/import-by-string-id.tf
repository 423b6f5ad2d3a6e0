import {
  to = kuma_mesh_load_balancing_strategy.example
  id = "shop/checkout"
}
