resource "kuma_mesh_rate_limit" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind = "Dataplane"
    }
    rules {
      matches {
        spiffe_id {
          type  = "Exact"
          value = "spiffe://shop/workload/web"
        }
      }
      default {
        local {
          http {
            disabled = true
          }
        }
      }
    }
    rules {
      default {
        local {
          tcp {
            connection_rate {
              num      = 50
              interval = "1.5s"
            }
          }
        }
      }
    }
  }
}
