import {
  to = kuma_mesh_rate_limit.example
  id = "shop/checkout"
}
