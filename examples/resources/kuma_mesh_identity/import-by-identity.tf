import {
  to = kuma_mesh_identity.example
  identity = {
    mesh = "shop"
    name = "shop"
  }
}
