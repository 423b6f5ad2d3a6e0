resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_dataplane" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout-1"

  networking {
    address = "10.0.0.5"
    inbound {
      port = 8080
      tags = { "kuma.io/service" = "checkout" }
    }
  }
}
