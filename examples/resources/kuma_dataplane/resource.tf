resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_dataplane" "example" {
  mesh = kuma_mesh.shop.name
  name = "checkout-1"
  labels = {
    app                = "checkout"
    "kuma.io/workload" = "checkout"
  }

  networking {
    address = "10.0.0.5"
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}
