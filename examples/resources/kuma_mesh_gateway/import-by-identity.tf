import {
  to = kuma_mesh_gateway.example
  identity = {
    mesh = "shop"
    name = "edge"
  }
}
