terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}

provider "kuma" {
  embedded {
    directory = "${path.root}/mesh"
    zone      = "zone-1"
  }
}

resource "kuma_mesh" "shop" {
  name = "shop"

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

resource "kuma_dataplane" "frontend" {
  mesh   = kuma_mesh.shop.name
  name   = "frontend-1"
  labels = { "kuma.io/workload" = "frontend" }

  networking {
    address = "10.0.0.1"
    inbound {
      name     = "http"
      port     = 8080
      protocol = "http"
    }
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

resource "kuma_mesh_timeout" "service" {
  mesh = kuma_mesh.shop.name
  name = "backend"

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = kuma_mesh_service.backend.labels
      }
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "service_override" {
  mesh = kuma_mesh.shop.name
  name = "backend-for-frontend"

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
          request_timeout = "1s"
        }
      }
    }
  }
}
