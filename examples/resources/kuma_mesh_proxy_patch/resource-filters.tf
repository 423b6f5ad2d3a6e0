# The proxies of the storefront run a Lua script before requests are routed, and
# use TCP keep-alive for connections to checkout.

resource "kuma_mesh" "shop" {
  name = "shop"
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
            name = "checkout"
          }
          value = <<-EOT
            upstreamConnectionOptions:
              tcpKeepalive:
                keepaliveTime: 60
          EOT
        }
      }
      append_modifications {
        virtual_host {
          operation = "Patch"
          match {
            origin                   = "outbound"
            route_configuration_name = "outbound:checkout"
          }
          json_patches {
            op   = "add"
            path = "/retryPolicy"
            value = jsonencode({
              retryOn    = "5xx"
              numRetries = 2
            })
          }
          json_patches {
            op   = "remove"
            path = "/requestHeadersToAdd"
          }
        }
      }
    }
  }
}
