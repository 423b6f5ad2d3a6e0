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
  name                           = "shop"
  skip_creating_initial_policies = ["*"]
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

resource "kuma_dataplane" "frontend" {
  mesh   = kuma_mesh.shop.name
  name   = "frontend-1"
  labels = { app = "frontend" }

  networking {
    address = "10.0.0.1"
    inbound {
      port = 8080
      tags = { "kuma.io/service" = "frontend" }
    }
  }
}

resource "kuma_mesh_timeout" "service" {
  mesh = kuma_mesh.shop.name
  name = "backend"

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = kuma_mesh_service.backend.name
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
      labels = { app = "frontend" }
    }
    to {
      target_ref {
        kind = "MeshService"
        name = kuma_mesh_service.backend.name
      }
      default {
        http {
          request_timeout = "1s"
        }
      }
    }
  }
}
