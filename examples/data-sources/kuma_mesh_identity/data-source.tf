data "kuma_mesh_identity" "example" {
  mesh = "shop"
  name = "shop"
}
