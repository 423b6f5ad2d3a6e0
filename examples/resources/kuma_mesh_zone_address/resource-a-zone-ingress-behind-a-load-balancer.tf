# The zone ingress is a Dataplane with a listener. Other zones reach it through
# a load balancer.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_dataplane" "ingress" {
  mesh = kuma_mesh.shop.name
  name = "zone-ingress"

  networking {
    address = "10.0.0.9"
    listeners {
      type    = "ZoneIngress"
      address = "10.0.0.9"
      port    = 10001
      name    = "ingress"
    }
  }
}

resource "kuma_mesh_zone_address" "east" {
  mesh   = kuma_mesh.shop.name
  name   = "zone-east"
  labels = { team = "edge" }

  spec {
    address = "ingress.east.example.com"
    port    = 443
  }
}
