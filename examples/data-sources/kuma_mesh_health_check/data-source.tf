data "kuma_mesh_health_check" "example" {
  mesh = "shop"
  name = "checkout"
}
