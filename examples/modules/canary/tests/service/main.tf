# A service with a stable instance and a canary.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_service" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = { "kuma.io/display-name" = "checkout" }

  spec {
    selector {
      dataplane_labels {
        match_labels = { "kuma.io/workload" = "checkout" }
      }
    }
    ports {
      name         = "http"
      port         = 80
      target_port  = 8080
      app_protocol = "http"
    }
  }
}

resource "kuma_dataplane" "checkout" {
  for_each = { stable = "192.0.2.1", canary = "192.0.2.2" }

  mesh   = kuma_mesh.shop.name
  name   = "checkout-${each.key}"
  labels = { "kuma.io/workload" = "checkout", version = each.key }

  networking {
    address = each.value
    inbound {
      name     = "http"
      port     = 8080
      protocol = "http"
    }
  }
}

output "service" {
  value = kuma_mesh_service.checkout.name
}
