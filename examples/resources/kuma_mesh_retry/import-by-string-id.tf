import {
  to = kuma_mesh_retry.example
  id = "shop/checkout"
}
