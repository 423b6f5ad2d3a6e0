# Requests of the storefront: beta users go to the next version, one path is
# rewritten, and another one is redirected.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_http_route" "storefront" {
  mesh = kuma_mesh.shop.name
  name = "storefront-to-checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "storefront" }
    }
    to {
      target_ref {
        kind         = "MeshService"
        labels       = { app = "checkout" }
        section_name = "http"
      }
      rules {
        matches {
          headers {
            name  = "x-beta"
            type  = "Exact"
            value = "yes"
          }
        }
        default {
          filters {
            type = "RequestHeaderModifier"
            request_header_modifier {
              set {
                name  = "x-routed-by"
                value = "storefront-to-checkout"
              }
              remove = ["x-debug"]
            }
          }
          backend_refs {
            kind   = "MeshService"
            labels = { app = "checkout-next" }
            port   = 8080
          }
        }
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = "/v1"
          }
          method = "GET"
        }
        default {
          filters {
            type = "URLRewrite"
            url_rewrite {
              path {
                type                 = "ReplacePrefixMatch"
                replace_prefix_match = "/v2/" # with the slash after the prefix
              }
            }
          }
        }
      }
      rules {
        matches {
          path {
            type  = "Exact"
            value = "/help"
          }
        }
        default {
          filters {
            type = "RequestRedirect"
            request_redirect {
              scheme   = "https"
              hostname = "help.example.com"
            }
          }
        }
      }
    }
  }
}
