import {
  to = kuma_mesh_rate_limit.example
  identity = {
    mesh = "shop"
    name = "checkout"
  }
}
