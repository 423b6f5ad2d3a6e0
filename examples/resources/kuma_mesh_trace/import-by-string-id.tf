import {
  to = kuma_mesh_trace.example
  id = "shop/everything"
}
