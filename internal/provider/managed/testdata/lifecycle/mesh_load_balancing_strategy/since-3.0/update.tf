resource "kuma_mesh_load_balancing_strategy" "test" {
  mesh = kuma_mesh.lifecycle.name
  name = "web"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "web" }
    }
    to {
      target_ref {
        kind   = "MeshHTTPRoute"
        labels = { "kuma.io/display-name" = "route" }
      }
      default {
        explicitly_empty = ["hash_policies"]
      }
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        locality_awareness {
          disabled = false
          local_zone {
            affinity_tags {
              key    = "k8s.io/node"
              weight = 90
            }
          }
        }
        load_balancer {
          type = "Random"
          random {}
        }
      }
    }
    to {
      target_ref {
        kind   = "MeshMultiZoneService"
        labels = { "kuma.io/display-name" = "backend" }
      }
    }
  }
}
