import {
  to = kuma_mesh_traffic_permission.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
