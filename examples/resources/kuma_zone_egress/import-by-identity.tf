import {
  to = kuma_zone_egress.example
  identity = {
    name = "egress-1"
  }
}
