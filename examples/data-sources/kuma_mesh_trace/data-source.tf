data "kuma_mesh_trace" "example" {
  mesh = "shop"
  name = "everything"
}
