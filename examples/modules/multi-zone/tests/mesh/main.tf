# A mesh with a service to join, and a client.

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

resource "kuma_dataplane" "this" {
  for_each = { storefront = "192.0.2.1", checkout = "192.0.2.2" }

  mesh = kuma_mesh.shop.name
  name = "${each.key}-1"
  labels = {
    "kuma.io/workload"            = each.key
    "topology.kubernetes.io/zone" = "a"
    "kubernetes.io/hostname"      = each.key
  }

  networking {
    address = each.value
    inbound {
      name     = "http"
      port     = 8080
      protocol = "http"
    }
  }
}
