data "kuma_mesh_zone_address" "example" {
  mesh = "shop"
  name = "zone-east"
}
