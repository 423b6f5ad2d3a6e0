# Kuma 2.x only. An ingress behind a load balancer, whose address is advertised
# to other zones.

resource "kuma_zone_ingress" "public" {
  name   = "ingress-public"
  labels = { team = "platform" }

  zone = "east"
  networking {
    address            = "10.1.0.2"
    port               = 10001
    advertised_address = "ingress.east.shop.example"
    advertised_port    = 443
    admin {
      port = 9901
    }
  }
}
