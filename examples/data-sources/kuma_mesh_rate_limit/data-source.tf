data "kuma_mesh_rate_limit" "example" {
  mesh = "shop"
  name = "checkout"
}
