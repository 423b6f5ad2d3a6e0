import {
  to = kuma_mesh_identity.example
  id = "shop/shop"
}
