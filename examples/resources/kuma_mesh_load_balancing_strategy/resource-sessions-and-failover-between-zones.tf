# Requests of a session go to the same endpoint of cart, on the local node if
# possible. If the zone has too few healthy endpoints, traffic fails over to the
# neighboring zone.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

resource "kuma_mesh_load_balancing_strategy" "carts" {
  mesh = kuma_mesh.shop.name
  name = "carts"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "storefront" }
    }
    to {
      target_ref {
        kind   = "MeshMultiZoneService"
        labels = { app = "carts" }
      }
      default {
        locality_awareness {
          local_zone {
            affinity_tags {
              key = "k8s.io/node"
            }
          }
          cross_zone {
            failover {
              from {
                zones = ["berlin"]
              }
              to {
                type  = "Only"
                zones = ["prague"]
              }
            }
            failover_threshold {
              percentage = 70
            }
          }
        }
        load_balancer {
          type = "Maglev"
          maglev {
            table_size = 65537
          }
        }
        hash_policies {
          type     = "Cookie"
          terminal = true
          cookie {
            name = "session"
            ttl  = "1h"
            path = "/"
          }
        }
      }
    }
  }
}
