# A shop of 20 proxies, in which the timeout for one service is about to change.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

# A control plane inside the provider, on a directory of YAML files. To use a
# real one, set endpoint = "https://…:5682" instead of the block.
provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
    zone      = "zone-1"
  }
}

variable "payments_timeout" {
  description = "Timeout of requests from the web shop to the payments service."
  type        = string
  default     = "5s"
}

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_service" "service" {
  for_each = toset(["payments", "stock"])
  mesh     = kuma_mesh.shop.name
  name     = each.key
  labels   = { "kuma.io/display-name" = each.key }

  spec {
    selector {
      dataplane_labels {
        match_labels = { "kuma.io/workload" = each.key }
      }
    }
    ports {
      name         = "http"
      port         = 8080
      target_port  = 8080
      app_protocol = "http"
    }
  }
}

resource "kuma_dataplane" "proxy" {
  for_each = merge([
    for app, count in { web = 8, batch = 4, payments = 4, stock = 4 } :
    { for i in range(count) : "${app}-${i + 1}" => { app = app, address = "10.0.${index(["web", "batch", "payments", "stock"], app)}.${i + 1}" } }
  ]...)
  mesh   = kuma_mesh.shop.name
  name   = each.key
  labels = { "kuma.io/workload" = each.value.app }

  networking {
    address = each.value.address
    inbound {
      name     = "http"
      port     = 8080
      protocol = "http"
    }
  }
}

# All requests time out after 15s.
resource "kuma_mesh_timeout" "default" {
  mesh = kuma_mesh.shop.name
  name = "default"

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        connection_timeout = "2s"
        http {
          request_timeout = "15s"
        }
      }
    }
  }
}

# The web shop has a shorter timeout for payments.
resource "kuma_mesh_timeout" "payments" {
  mesh = kuma_mesh.shop.name
  name = "payments"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { "kuma.io/workload" = "web" }
    }
    to {
      target_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = kuma_mesh_service.service["payments"].name }
      }
      default {
        http {
          request_timeout = var.payments_timeout
        }
      }
    }
  }
}
