# The proxies of checkout publish fewer of their own metrics, and those of an application, to Prometheus.

resource "kuma_mesh" "shop" {
  name = "shop"
}

resource "kuma_mesh_metric" "checkout" {
  mesh = kuma_mesh.shop.name
  name = "checkout"

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = { app = "checkout" }
    }
    default {
      sidecar {
        profiles {
          append_profiles {
            name = "Basic"
          }
          exclude {
            type  = "Regex"
            match = "envoy_cluster_.*_internal"
          }
          include {
            type  = "Exact"
            match = "envoy_server_live"
          }
        }
      }
      applications {
        name = "checkout"
        port = 9100
      }
      backends {
        type = "Prometheus"
        prometheus {
          client_id = "shop"
          tls {
            mode = "ProvidedTLS"
          }
        }
      }
    }
  }
}
