data "kuma_mesh_tls" "example" {
  mesh = "shop"
  name = "strict"
}
