# The proxies of the storefront run a Lua script before requests are routed, and use TCP keep-alive
# for connections to checkout, whose clusters have the KRI of its port as name.

locals {
  checkout = provider::kuma::kri({
    kind    = "MeshService"
    mesh    = kuma_mesh.shop.name
    zone    = "default"
    name    = "checkout"
    section = "80"
  })
}

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_proxy_patch" "storefront" {
  mesh = kuma_mesh.shop.name
  name = "storefront"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "storefront" }
    }
    default {
      append_modifications {
        http_filter {
          operation = "AddBefore"
          match {
            origin = "outbound"
            name   = "envoy.filters.http.router"
          }
          value = yamlencode({
            name = "envoy.filters.http.lua"
            typedConfig = {
              "@type"    = "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua"
              inlineCode = <<-LUA
                function envoy_on_request(handle)
                  handle:logInfo(handle:headers():get(":path"))
                end
              LUA
            }
          })
        }
      }
      append_modifications {
        cluster {
          operation = "Patch"
          match {
            name = local.checkout
          }
          value = <<-EOT
            upstreamConnectionOptions:
              tcpKeepalive:
                keepaliveTime: 60
          EOT
        }
      }
    }
  }
}
