import {
  to = kuma_mesh_health_check.example
  id = "shop/checkout"
}
