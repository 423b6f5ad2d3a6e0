resource "kuma_manifest" "shop" {
  manifest = {
    type = "Mesh"
    name = "shop"
    mtls = {
      backends = [{
        type = "builtin"
        name = "ca"
        conf = {
          own = 1
        }
      }]
    }
  }
}

import {
  to = kuma_manifest.shop
  id = "Mesh/shop"
}

resource "kuma_manifest" "web" {
  manifest = {
    type = "TrafficRoute"
    mesh = kuma_manifest.shop.name
    name = "web"
    conf = {
      destination = {
        "kuma.io/service" = "*"
      }
    }
  }
}

import {
  to = kuma_manifest.web
  id = "TrafficRoute/shop/web"
}
