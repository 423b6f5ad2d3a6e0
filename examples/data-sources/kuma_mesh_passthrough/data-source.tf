data "kuma_mesh_passthrough" "example" {
  mesh = "shop"
  name = "closed"
}
