import {
  to = kuma_mesh_access_log.example
  identity = {
    mesh = "shop"
    name = "all"
  }
}
