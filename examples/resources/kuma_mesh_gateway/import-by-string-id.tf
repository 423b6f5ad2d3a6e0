import {
  to = kuma_mesh_gateway.example
  id = "shop/edge"
}
