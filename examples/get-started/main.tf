terraform {
  required_providers {
    kuma = {
      source  = "kuma-universal/kuma"
      version = "~> 0.1"
    }
  }
}

provider "kuma" {
  endpoint         = "http://localhost:5681"
  reference_checks = "warning" # of policies to services that do not exist
}

resource "kuma_mesh" "shop" {
  name = "shop"

  # Kuma 3.0 has no other mode.
  mesh_services {
    mode = "Exclusive"
  }
}

# Certificates for all proxies: they identify themselves as
# spiffe://shop.mesh.local/workload/NAME and encrypt what they send.
resource "kuma_mesh_identity" "shop" {
  mesh = kuma_mesh.shop.name
  name = "shop"

  spec {
    selector {
      dataplane {
        match_labels = {}
      }
    }
    spiffe_id {
      trust_domain = "shop.mesh.local"
      path         = "/workload/{{ .Workload }}"
    }
    provider {
      type = "Bundled"
      bundled {
        insecure_allow_self_signed = true
        autogenerate {
          enabled = true
        }
      }
    }
  }
}

# The service that others call.
resource "kuma_mesh_service" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = { "kuma.io/display-name" = "checkout" } # for references to it

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

# Its proxy, on the machine 10.0.0.2.
resource "kuma_dataplane" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-1"
  labels = { "kuma.io/workload" = "checkout" }

  networking {
    address = "10.0.0.2"
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}

# The proxy of a client, which calls checkout at 127.0.0.1:9001.
resource "kuma_dataplane" "storefront" {
  mesh   = kuma_mesh.shop.name
  name   = "storefront-1"
  labels = { "kuma.io/workload" = "storefront" }

  networking {
    address = "10.0.0.1"
    inbound {
      port     = 8080
      protocol = "http"
    }
    outbound {
      port = 9001
      backend_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.checkout.labels
        port   = 80
      }
    }
  }
}
