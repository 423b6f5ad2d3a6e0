data "kuma_mesh_retry" "example" {
  mesh = "shop"
  name = "checkout"
}
