import {
  to = kuma_mesh_passthrough.example
  id = "shop/closed"
}
