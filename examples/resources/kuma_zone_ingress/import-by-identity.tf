import {
  to = kuma_zone_ingress.example
  identity = {
    name = "ingress-1"
  }
}
