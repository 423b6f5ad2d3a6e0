data "kuma_mesh_traffic_permission" "example" {
  mesh = "shop"
  name = "checkout"
}
