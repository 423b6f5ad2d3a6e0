import {
  to = kuma_mesh_access_log.example
  id = "shop/all"
}
