resource "kuma_mesh" "shop" {
  name = "shop"
}

import {
  to = kuma_mesh.shop
  id = "shop"
}

resource "kuma_mesh_service" "backend" {
  name = "backend"
  mesh = kuma_mesh.shop.name
  labels = {
    team = "web"
  }

  spec {
    selector {
      dataplane_tags = {
        app = "backend"
      }
    }

    ports {
      port        = 80
      target_port = "80"
    }
  }
}

import {
  to = kuma_mesh_service.backend
  id = "shop/backend"
}

resource "kuma_mesh_timeout" "backend" {
  name = "backend"
  mesh = kuma_mesh.shop.name

  spec {
    to {
      target_ref {
        kind = "MeshService"
        name = kuma_mesh_service.backend.name
      }

      default {
        idle_timeout = "1m"
      }
    }

    to {
      target_ref {
        kind = "MeshService"
        name = "elsewhere"
      }

      default {
        idle_timeout = "2m"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.backend
  id = "shop/backend"
}
