# Timeouts for a service and for a route on it, and overrides of both for the proxies of
# one workload. It works with Kuma 2.14 and 3.0.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

# A control plane inside the provider, which stores its resources as YAML files. To use a
# real one, replace the embedded block with endpoint = "https://kuma.example.com:5682".
provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
    zone      = "zone-1"
  }
}

variable "frontend_request_timeout" {
  description = "Request timeout of the frontend for the backend."
  type        = string
  default     = "1s"
}

resource "kuma_mesh" "shop" {
  name = "shop"

  # As in Kuma 3.0, which has no other mode.
  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_service" "backend" {
  mesh = kuma_mesh.shop.name
  name = "backend"

  # For references to it. Kuma 3.0 adds this label to all resources.
  labels = { "kuma.io/display-name" = "backend" }

  spec {
    selector {
      dataplane_labels {
        match_labels = { "kuma.io/workload" = "backend" }
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
  for_each = {
    frontend-1 = { workload = "frontend", address = "10.0.0.1" }
    batch-1    = { workload = "batch", address = "10.0.0.2" }
  }
  mesh   = kuma_mesh.shop.name
  name   = each.key
  labels = { "kuma.io/workload" = each.value.workload }

  networking {
    address = each.value.address
    inbound {
      name     = "http"
      port     = 8080
      protocol = "http"
    }

    # The application reaches the backend at 127.0.0.1:9001.
    outbound {
      port = 9001
      backend_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.backend.labels
        port   = 8080
      }
    }
  }
}

resource "kuma_mesh_http_route" "route_to_backend" {
  mesh   = kuma_mesh.shop.name
  name   = "route-to-backend"
  labels = { "kuma.io/display-name" = "route-to-backend" }

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.backend.labels
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = "/slow-endpoint"
          }
        }
        default {
          backend_refs {
            kind   = "MeshService"
            labels = kuma_mesh_service.backend.labels
            port   = 8080
          }
        }
      }
    }
  }
}

# All other requests. Without this route, Kuma 3.0 answers them with 404.
resource "kuma_mesh_http_route" "rest_to_backend" {
  mesh = kuma_mesh.shop.name
  name = "rest-to-backend"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.backend.labels
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
            labels = kuma_mesh_service.backend.labels
            port   = 8080
          }
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "service" {
  mesh = kuma_mesh.shop.name
  name = "timeout-on-backend-service"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.backend.labels
      }
      default {
        connection_timeout = "2s"
        http {
          request_timeout = "5s"
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "route" {
  mesh = kuma_mesh.shop.name
  name = "timeout-on-backend-route"

  spec {
    to {
      target_ref {
        kind   = "MeshHTTPRoute"
        labels = kuma_mesh_http_route.route_to_backend.labels
      }
      default {
        http {
          request_timeout     = "30s"
          stream_idle_timeout = "1m"
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "service_override" {
  mesh = kuma_mesh.shop.name
  name = "timeout-on-backend-service-override"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { "kuma.io/workload" = "frontend" }
    }
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.backend.labels
      }
      default {
        http {
          request_timeout = var.frontend_request_timeout
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "route_override" {
  mesh = kuma_mesh.shop.name
  name = "timeout-on-backend-route-override"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { "kuma.io/workload" = "frontend" }
    }
    to {
      target_ref {
        kind   = "MeshHTTPRoute"
        labels = kuma_mesh_http_route.route_to_backend.labels
      }
      default {
        http {
          request_timeout = "10s"
        }
      }
    }
  }
}
