data "kuma_mesh_multi_zone_service" "example" {
  mesh = "shop"
  name = "checkout"
}
