import {
  to = kuma_mesh_traffic_permission.example
  id = "shop/checkout"
}
