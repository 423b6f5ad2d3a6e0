import {
  to = kuma_mesh_http_route.example
  id = "shop/checkout-canary"
}
