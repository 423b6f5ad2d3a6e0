import {
  to = kuma_mesh_multi_zone_service.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
