import {
  to = kuma_mesh_service.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
