resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_secret" "example" {
  mesh = kuma_mesh.shop.name
  name = "partner-key"

  data = "not so secret"
}
