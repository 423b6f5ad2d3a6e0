# The storefront has a shorter timeout for checkout than other clients, and a
# longer one on the route to the slow report.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_timeout" "storefront" {
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
        name         = "checkout"
        section_name = "http"
      }
      default {
        connection_timeout = "500ms"
        http {
          request_timeout = "1s"
        }
      }
    }
    to {
      target_ref {
        kind = "MeshHTTPRoute"
        name = "checkout-report"
      }
      default {
        http {
          request_timeout     = "30s"
          stream_idle_timeout = "10s"
        }
      }
    }
  }
}

# Incoming requests of checkout: from clients of the mesh's own namespace, and from all other
# clients.
resource "kuma_mesh_timeout" "inbound" {
  mesh = kuma_mesh.shop.name
  name = "checkout-inbound"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    rules {
      matches {
        spiffe_id {
          type  = "Prefix"
          value = "spiffe://shop/ns/batch"
        }
      }
      default {
        http {
          request_timeout = "1m"
        }
      }
    }
    rules {
      default {
        idle_timeout = "10m"
        http {
          request_timeout = "10s"
        }
      }
    }
  }
}
