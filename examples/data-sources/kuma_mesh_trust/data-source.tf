data "kuma_mesh_trust" "example" {
  mesh = "shop"
  name = "zone-east"
}
