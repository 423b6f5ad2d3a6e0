variable "percent" {
  description = "Share of the requests that version 2 gets."
  type        = number
  default     = 10
}

# Version 2 runs beside version 1, with a service and a proxy of its own.
resource "kuma_mesh_service" "checkout_v2" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-v2"
  labels = { "kuma.io/display-name" = "checkout-v2" }

  spec {
    selector {
      dataplane_labels {
        match_labels = { version = "v2" }
      }
    }
    ports {
      port         = 80
      target_port  = 8080
      app_protocol = "http"
    }
  }
}

resource "kuma_dataplane" "checkout_v2" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-v2-1"
  labels = { "kuma.io/workload" = "checkout-v2", version = "v2" }

  networking {
    address = "10.0.0.4"
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}

resource "kuma_mesh_traffic_permission" "checkout_v2" {
  mesh = kuma_mesh.shop.name
  name = "checkout-v2"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { version = "v2" }
    }
    rules {
      default {
        allow {
          spiffe_id {
            type  = "Exact"
            value = "spiffe://shop.mesh.local/workload/storefront"
          }
        }
      }
    }
  }
}

resource "kuma_mesh_http_route" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.checkout.labels
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = "/"
          }
        }
        default {
          backend_refs {
            kind   = "MeshService"
            labels = kuma_mesh_service.checkout.labels
            port   = 80
            weight = 100 - var.percent
          }
          backend_refs {
            kind   = "MeshService"
            labels = kuma_mesh_service.checkout_v2.labels
            port   = 80
            weight = var.percent
          }
        }
      }
    }
  }
}

data "kuma_request" "split" {
  mesh      = "shop"
  planned   = local.planned # in request.tf
  dataplane = "storefront-1"
  service   = "checkout"
}

output "shares" {
  value = {
    for b in data.kuma_request.split.backends : b.name => "${b.percent}%, ${b.verdict}"
  }
}
