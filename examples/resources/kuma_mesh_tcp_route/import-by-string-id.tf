import {
  to = kuma_mesh_tcp_route.example
  id = "shop/orders-database"
}
