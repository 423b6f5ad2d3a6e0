import {
  to = kuma_mesh_multi_zone_service.example
  id = "shop/checkout"
}
