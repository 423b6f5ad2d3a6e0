import {
  to = kuma_mesh_proxy_patch.example
  identity = {
    mesh = "shop"
    name = "buffer-limit"
  }
}
