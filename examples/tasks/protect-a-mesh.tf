resource "kuma_mesh" "orders" {
  name = "orders"

  mesh_services {
    mode = "Exclusive"
  }

  lifecycle {
    prevent_destroy = true
  }
}
