data "kuma_mesh_proxy_patch" "example" {
  mesh = "shop"
  name = "buffer-limit"
}
