resource "kuma_zone_ingress" "test" {
  name = "ingress-1"

  networking {
    address = "10.1.0.1"
    port    = 10001
  }
  available_services {
    tags      = { "kuma.io/service" = "web" }
    instances = 2
    mesh      = "default"
  }
}
