resource "kuma_zone_egress" "test" {
  name   = "egress-1"
  labels = { team = "platform" }

  zone = "zone-1"
  networking {
    address = "10.1.0.3"
    port    = 10003
    admin {
      port = 9902
    }
  }
}
