resource "kuma_zone_ingress" "test" {
  name   = "ingress-1"
  labels = { team = "platform" }

  zone = "zone-1"
  networking {
    address            = "10.1.0.1"
    port               = 10002
    advertised_address = "ingress.example.com"
    advertised_port    = 20002
    admin {
      port = 9901
    }
  }
}
