import {
  to = kuma_mesh_passthrough.example
  identity = {
    mesh = "shop"
    name = "closed"
  }
}
