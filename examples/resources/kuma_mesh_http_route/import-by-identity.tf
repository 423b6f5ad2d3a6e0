import {
  to = kuma_mesh_http_route.example
  identity = {
    mesh = "shop"
    name = "checkout-canary"
  }
}
