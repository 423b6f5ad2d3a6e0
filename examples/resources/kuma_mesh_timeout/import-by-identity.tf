import {
  to = kuma_mesh_timeout.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
