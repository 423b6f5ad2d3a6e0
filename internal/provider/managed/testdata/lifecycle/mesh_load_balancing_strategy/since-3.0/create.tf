resource "kuma_mesh_load_balancing_strategy" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    to {
      target_ref {
        kind   = "MeshMultiZoneService"
        labels = { "kuma.io/display-name" = "backend" }
      }
      default {
        locality_awareness {
          cross_zone {
            failover {
              to {
                type = "Any"
              }
            }
            failover_threshold {
              percentage = "70" # respelled: 70
            }
          }
        }
        load_balancer {
          type = "RingHash"
          ring_hash {
            min_ring_size = 1024
          }
        }
        hash_policies {
          type = "Cookie"
          cookie {
            name = "session"
            ttl  = "90m" # respelled: "1.5h"
          }
        }
      }
    }
  }
}
