# Before this is created again: The control plane loads the certificate authority when it creates the mesh, but a Secret can only be created in an existing mesh. Set "skip_validation" of "mtls" to true, so that the control plane stores the mesh first, and create the Secrets after it.
resource "kuma_mesh" "shop" {
  name = "shop"

  mtls {
    backends {
      name = "own"
      type = "provided"

      conf {
        cert {
          secret = "certificate"
        }
      }
    }
  }
}

import {
  to = kuma_mesh.shop
  id = "shop"
}

resource "kuma_secret" "certificate" {
  name = "certificate"
  mesh = kuma_mesh.shop.name
  data = var.secret_certificate
}

import {
  to = kuma_secret.certificate
  id = "shop/certificate"
}

resource "kuma_mesh_service" "web" {
  name = "web"
  mesh = kuma_mesh.shop.name

  spec {
    selector {
      dataplane_ref {
        name = kuma_dataplane.web_1.name
      }
    }
  }
}

import {
  to = kuma_mesh_service.web
  id = "shop/web"
}

resource "kuma_dataplane" "web_1" {
  name = "web-1"
  mesh = kuma_mesh.shop.name

  networking {
    outbound {
      port = 10001

      backend_ref {
        kind = "MeshService"
        name = "web"
      }
    }
  }
}

import {
  to = kuma_dataplane.web_1
  id = "shop/web-1"
}

variable "secret_certificate" {
  description = "Value of Secret \"certificate\" of mesh \"shop\". If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}
