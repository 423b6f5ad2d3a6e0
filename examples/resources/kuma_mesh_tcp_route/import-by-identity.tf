import {
  to = kuma_mesh_tcp_route.example
  identity = {
    mesh = "shop"
    name = "orders-database"
  }
}
