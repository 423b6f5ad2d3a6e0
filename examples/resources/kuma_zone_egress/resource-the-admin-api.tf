# Kuma 2.x only. The egress of a zone, with the admin API on a fixed port for
# monitoring.

resource "kuma_zone_egress" "east" {
  name   = "egress-east"
  labels = { team = "platform" }

  zone = "east"
  networking {
    address = "egress.east.shop.internal"
    port    = 10002
    admin {
      port = 9902
    }
  }
}
