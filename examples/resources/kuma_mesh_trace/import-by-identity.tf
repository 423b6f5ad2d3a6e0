import {
  to = kuma_mesh_trace.example
  identity = {
    mesh = "shop"
    name = "everything"
  }
}
