import {
  to = kuma_mesh_tls.example
  identity = {
    mesh = "shop"
    name = "strict"
  }
}
