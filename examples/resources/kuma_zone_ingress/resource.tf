# Kuma 2.x only.

resource "kuma_zone_ingress" "example" {
  name = "ingress-1"

  networking {
    address = "10.1.0.1"
    port    = 10001
  }
}
