resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_external_service" "example" {
  mesh = kuma_mesh.shop.name
  name = "payments-api"

  spec {
    match {
      port = 443
    }
    endpoints {
      address = "api.payments.example.com"
      port    = 443
    }
  }
}
