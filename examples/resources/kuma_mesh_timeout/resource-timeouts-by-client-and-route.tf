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

# Incoming requests of checkout: from batch jobs, and from all other clients.
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
          value = "spiffe://shop.default.mesh.local/workload/batch"
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
