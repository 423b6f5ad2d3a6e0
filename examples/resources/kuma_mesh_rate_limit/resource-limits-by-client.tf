# Each proxy of checkout accepts few requests from batch jobs, with a header
# that says when to retry, and more from other clients.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_rate_limit" "inbound" {
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
        local {
          http {
            request_rate {
              num      = 10
              interval = "1m"
            }
            on_rate_limit {
              status = 429
              headers {
                set {
                  name  = "retry-after"
                  value = "60"
                }
              }
            }
          }
        }
      }
    }
    rules {
      default {
        local {
          http {
            request_rate {
              num      = 500
              interval = "1s"
            }
          }
        }
      }
    }
  }
}
