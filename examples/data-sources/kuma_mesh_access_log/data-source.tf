data "kuma_mesh_access_log" "example" {
  mesh = "shop"
  name = "all"
}
