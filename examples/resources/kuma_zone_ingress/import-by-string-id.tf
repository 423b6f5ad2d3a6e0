import {
  to = kuma_zone_ingress.example
  id = "ingress-1"
}
