import {
  to = kuma_mesh_tls.example
  id = "shop/strict"
}
