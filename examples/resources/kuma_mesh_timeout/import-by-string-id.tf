import {
  to = kuma_mesh_timeout.example
  id = "shop/checkout"
}
