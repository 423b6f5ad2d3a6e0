import {
  to = kuma_dataplane.example
  id = "shop/checkout-1"
}
