# The storefront has a shorter timeout for checkout than other clients, and a
# longer one on the route to the slow report.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
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
        labels       = { app = "checkout" }
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
        kind   = "MeshHTTPRoute"
        labels = { route = "checkout-report" }
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
