terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

provider "kuma" {
  # A control plane on a directory, for a trial. Replace the block with endpoint.
  embedded {
    directory = "${path.root}/mesh"
  }
}

resource "kuma_mesh" "shop" {
  name = "shop"
  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_dataplane" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-1"
  labels = { app = "checkout" }
  networking {
    address = "10.0.0.5"
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}
