data "kuma_mesh_timeout" "example" {
  mesh = "shop"
  name = "checkout"
}
