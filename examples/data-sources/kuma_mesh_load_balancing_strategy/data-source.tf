data "kuma_mesh_load_balancing_strategy" "example" {
  mesh = "shop"
  name = "checkout"
}
