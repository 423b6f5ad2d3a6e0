resource "kuma_mesh_multi_zone_service" "this" {
  mesh   = var.mesh
  name   = var.name
  labels = merge(var.labels, { "kuma.io/display-name" = var.name })

  spec {
    selector {
      mesh_service {
        match_labels = var.services == null ? { "kuma.io/display-name" = var.name } : var.services
      }
    }

    dynamic "ports" {
      for_each = var.ports

      content {
        name         = ports.key
        port         = ports.value.port
        app_protocol = ports.value.protocol
      }
    }
  }
}

resource "kuma_mesh_load_balancing_strategy" "this" {
  count = var.locality == null ? 0 : 1

  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  spec {
    to {
      target_ref {
        kind   = "MeshMultiZoneService"
        labels = { "kuma.io/display-name" = kuma_mesh_multi_zone_service.this.name }
      }
      default {
        locality_awareness {
          disabled = var.locality.disabled

          dynamic "local_zone" {
            for_each = length(var.locality.affinity) == 0 ? [] : [true]

            content {
              dynamic "affinity_tags" {
                for_each = var.locality.affinity

                content {
                  key = affinity_tags.value
                }
              }
            }
          }
          dynamic "cross_zone" {
            for_each = length(var.locality.failover) == 0 ? [] : [true]

            content {
              dynamic "failover" {
                for_each = var.locality.failover

                content {
                  dynamic "from" {
                    for_each = failover.value.from == null ? [] : [failover.value.from]

                    content {
                      zones = from.value
                    }
                  }
                  to {
                    type  = failover.value.to == null ? "Any" : "Only"
                    zones = failover.value.to
                  }
                }
              }
              dynamic "failover_threshold" {
                for_each = var.locality.failover_threshold[*]

                content {
                  percentage = tostring(failover_threshold.value)
                }
              }
            }
          }
        }
      }
    }
  }
}
