import {
  to = kuma_mesh_service.example
  id = "shop/checkout"
}
