# Kuma 2.x only.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_gateway" "example" {
  mesh = kuma_mesh.shop.name
  name = "edge"

  selectors {
    match = { "kuma.io/service" = "edge" }
  }
  conf {
    listeners {
      port     = 8080
      protocol = "HTTP"
    }
  }
}
