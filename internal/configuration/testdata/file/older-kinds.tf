resource "kuma_secret" "partner_key" {
  name = "partner-key"
  mesh = "shop"
  data = var.secret_partner_key
}

import {
  to = kuma_secret.partner_key
  id = "shop/partner-key"
}

resource "kuma_manifest" "partner" {
  manifest = {
    type = "ExternalService"
    mesh = "shop"
    name = "partner"
    networking = {
      address = "partner.example.com:443"
      tls = {
        caCert = {
          secret = "partner-ca"
        }
        clientKey = {
          secret = kuma_secret.partner_key.name
        }
      }
    }
    tags = {
      "kuma.io/service" = "partner"
    }
  }
}

import {
  to = kuma_manifest.partner
  id = "ExternalService/shop/partner"
}

resource "kuma_manifest" "raw" {
  manifest = {
    type = "ProxyTemplate"
    mesh = "shop"
    name = "raw"
    conf = {
      list = ["in a\nlist\n"]
      resources = [{
        name     = "raw"
        resource = <<EOT
name: raw
type: STATIC
EOT
        version  = "v1"
        }, {
        name    = "last"
        version = <<EOT
no
script
EOT
      }]
    }
  }
}

import {
  to = kuma_manifest.raw
  id = "ProxyTemplate/shop/raw"
}

variable "secret_partner_key" {
  description = "Value of Secret \"partner-key\" of mesh \"shop\". If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}
