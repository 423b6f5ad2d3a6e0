data "kuma_mesh_gateway" "example" {
  mesh = "shop"
  name = "edge"
}
