import {
  to = kuma_mesh_health_check.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
