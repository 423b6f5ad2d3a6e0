# Timeouts for a service and for a route on it, and overrides of both for the proxies of
# one group.

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
  description = "Request timeout of the frontend group for the backend."
  type        = string
  default     = "1s"
}

resource "kuma_mesh" "shop" {
  name                           = "shop"
  skip_creating_initial_policies = ["*"]

  mesh_services {
    mode = "Everywhere"
  }
}

resource "kuma_mesh_service" "backend" {
  mesh = kuma_mesh.shop.name
  name = "backend"

  spec {
    selector {
      dataplane_tags = { "kuma.io/service" = "backend" }
    }
    ports {
      name         = "http"
      port         = 8080
      app_protocol = "http"
    }
  }
}

resource "kuma_dataplane" "proxy" {
  for_each = {
    frontend-1 = { group = "frontend", address = "10.0.0.1" }
    batch-1    = { group = "batch", address = "10.0.0.2" }
  }
  mesh   = kuma_mesh.shop.name
  name   = each.key
  labels = { group = each.value.group }

  networking {
    address = each.value.address
    inbound {
      port = 8080
      tags = { "kuma.io/service" = each.value.group }
    }
  }
}

resource "kuma_mesh_http_route" "route_to_backend" {
  mesh = kuma_mesh.shop.name
  name = "route-to-backend"

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = kuma_mesh_service.backend.name
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
            kind = "MeshService"
            name = kuma_mesh_service.backend.name
            port = 8080
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
        kind = "MeshService"
        name = kuma_mesh_service.backend.name
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
        kind = "MeshHTTPRoute"
        name = kuma_mesh_http_route.route_to_backend.name
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
      labels = { group = "frontend" }
    }
    to {
      target_ref {
        kind = "MeshService"
        name = kuma_mesh_service.backend.name
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
      labels = { group = "frontend" }
    }
    to {
      target_ref {
        kind = "MeshHTTPRoute"
        name = kuma_mesh_http_route.route_to_backend.name
      }
      default {
        http {
          request_timeout = "10s"
        }
      }
    }
  }
}
