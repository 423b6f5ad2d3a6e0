data "kuma_mesh_tcp_route" "example" {
  mesh = "shop"
  name = "orders-database"
}
