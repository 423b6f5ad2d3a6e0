# Kuma 2.x only.

resource "kuma_zone_egress" "example" {
  name = "egress-1"

  networking {
    address = "10.1.0.3"
    port    = 10002
  }
}
