terraform {
  required_providers {
    kuma = {
      source  = "kuma-universal/kuma"
      version = "~> 0.1"
    }
  }
}

provider "kuma" {
  # Defaults to the environment variable KUMA_ENDPOINT.
  endpoint = "http://localhost:5681"
}

resource "kuma_mesh" "shop" {
  name = "shop"

  # All policies of the mesh are in this configuration.
  skip_creating_initial_policies = ["*"]

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_service" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    selector {
      dataplane_tags = { "kuma.io/service" = "checkout" }
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
        kind = "MeshService"
        name = kuma_mesh_service.checkout.name
      }
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
  }
}
