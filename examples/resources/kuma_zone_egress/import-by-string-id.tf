import {
  to = kuma_zone_egress.example
  id = "egress-1"
}
