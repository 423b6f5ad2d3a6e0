data "kuma_mesh_metric" "example" {
  mesh = "shop"
  name = "everything"
}
