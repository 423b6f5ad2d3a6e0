terraform {
  required_providers {
    kuma = {
      source  = "kuma-universal/kuma"
      version = "~> 0.1"
    }
  }
}

provider "kuma" {
  endpoint = "http://localhost:5681"
}

resource "kuma_mesh" "shop" {
  name = "shop"

  # Kuma 3.0 has no other mode.
  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_service" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  # For references to it.
  labels = { "kuma.io/display-name" = "checkout" }

  spec {
    selector {
      dataplane_labels {
        match_labels = { "kuma.io/workload" = "checkout" }
      }
    }
    ports {
      port         = 80
      target_port  = 8080
      app_protocol = "http"
    }
  }
}

resource "kuma_mesh_timeout" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.checkout.labels
      }
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
  }
}
