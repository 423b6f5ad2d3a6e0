resource "kuma_mesh_service" "backend_v1" {
  name = "backend.v1"
  mesh = "shop"
  labels = {
    "kuma.io/display-name" = "backend"
  }

  spec {
    ports {
      port = 80
    }
  }
}

import {
  to = kuma_mesh_service.backend_v1
  id = "shop/backend.v1"
}

resource "kuma_mesh_timeout" "web" {
  name = "web"
  mesh = "shop"

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = "backend"
      }

      default {
        idle_timeout = "1m"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.web
  id = "shop/web"
}
