resource "kuma_secret" "partner_key" {
  name = "partner-key"
  mesh = "shop"
  data = var.secret_partner_key
}

import {
  to = kuma_secret.partner_key
  id = "shop/partner-key"
}

resource "kuma_mesh_external_service" "partner" {
  name = "partner"
  mesh = "shop"

  spec {
    match {
      port = 443
    }

    endpoints {
      address = "partner.example.com"
      port    = 443
    }

    tls {
      enabled = true

      verification {
        client_cert {
          secret = kuma_secret.partner_key.name
        }

        client_key {
          inline = try(base64encode(var.mesh_external_service_partner_tls_verification_client_key), null)
        }
      }
    }
  }
}

import {
  to = kuma_mesh_external_service.partner
  id = "shop/partner"
}

variable "secret_partner_key" {
  description = "Value of Secret \"partner-key\" of mesh \"shop\". If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}

variable "mesh_external_service_partner_tls_verification_client_key" {
  description = "Value of spec.tls.verification.clientKey in MeshExternalService \"partner\" of mesh \"shop\". If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}
