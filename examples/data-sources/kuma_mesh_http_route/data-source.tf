data "kuma_mesh_http_route" "example" {
  mesh = "shop"
  name = "checkout-canary"
}
