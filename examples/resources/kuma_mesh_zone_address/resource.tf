resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_zone_address" "example" {
  mesh = kuma_mesh.shop.name
  name = "zone-east"

  spec {
    address = "ingress.east.example.com"
    port    = 10001
  }
}
