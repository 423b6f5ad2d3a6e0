import {
  to = kuma_mesh_retry.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
