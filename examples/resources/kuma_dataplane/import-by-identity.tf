import {
  to = kuma_dataplane.example
  identity = {
    mesh = "shop"
    name = "checkout-1"
  }
}
