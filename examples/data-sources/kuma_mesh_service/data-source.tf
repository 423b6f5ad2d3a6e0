data "kuma_mesh_service" "example" {
  mesh = "shop"
  name = "checkout"
}
