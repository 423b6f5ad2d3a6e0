locals {
  protocols = toset(values(var.ports)[*].protocol)
  # Policies of clients refer to the service, so that they are created after it.
  destination = { "kuma.io/display-name" = kuma_mesh_service.this.name }
}

resource "kuma_mesh_timeout" "this" {
  count = var.traffic.timeouts == null ? 0 : 1

  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = local.destination
      }
      default {
        connection_timeout = var.traffic.timeouts.connection
        idle_timeout       = var.traffic.timeouts.idle
        http {
          request_timeout     = var.traffic.timeouts.request
          stream_idle_timeout = var.traffic.timeouts.stream_idle
        }
      }
    }
  }
}

resource "kuma_mesh_retry" "this" {
  count = var.traffic.retries == null ? 0 : 1

  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = local.destination
      }
      default {
        dynamic "http" {
          for_each = length(setintersection(local.protocols, ["http", "http2"])) > 0 ? [var.traffic.retries] : []

          content {
            num_retries     = http.value.num_retries
            per_try_timeout = http.value.per_try_timeout
            retry_on        = http.value.retry_on
          }
        }
        dynamic "grpc" {
          for_each = contains(local.protocols, "grpc") ? [var.traffic.retries] : []

          content {
            num_retries     = grpc.value.num_retries
            per_try_timeout = grpc.value.per_try_timeout
          }
        }
        dynamic "tcp" {
          for_each = contains(local.protocols, "tcp") ? [var.traffic.retries] : []

          content {
            # The number includes the first attempt.
            max_connect_attempt = try(max(tcp.value.num_retries, 1), null)
          }
        }
      }
    }
  }
}

resource "kuma_mesh_circuit_breaker" "this" {
  count = var.traffic.connection_limits == null && var.traffic.outlier_detection == null ? 0 : 1

  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = local.destination
      }
      default {
        dynamic "connection_limits" {
          for_each = var.traffic.connection_limits[*]

          content {
            max_connections      = connection_limits.value.max_connections
            max_pending_requests = connection_limits.value.max_pending_requests
            max_requests         = connection_limits.value.max_requests
            max_retries          = connection_limits.value.max_retries
          }
        }
        dynamic "outlier_detection" {
          for_each = var.traffic.outlier_detection[*]

          content {
            interval             = outlier_detection.value.interval
            base_ejection_time   = outlier_detection.value.ejection_time
            max_ejection_percent = outlier_detection.value.max_ejection_percent
            detectors {
              total_failures {
                consecutive = outlier_detection.value.consecutive_failures
              }
            }
          }
        }
      }
    }
  }
}

resource "kuma_mesh_health_check" "this" {
  count = var.traffic.health_check == null ? 0 : 1

  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = local.destination
      }
      default {
        interval            = var.traffic.health_check.interval
        timeout             = var.traffic.health_check.timeout
        unhealthy_threshold = var.traffic.health_check.unhealthy_threshold
        healthy_threshold   = var.traffic.health_check.healthy_threshold

        dynamic "http" {
          for_each = var.traffic.health_check.path[*]

          content {
            path = http.value
          }
        }
        dynamic "tcp" {
          for_each = var.traffic.health_check.path == null ? [true] : []

          content {}
        }
      }
    }
  }
}

# Unlike the policies above, this one applies to the proxies of the service.
resource "kuma_mesh_rate_limit" "this" {
  count = var.traffic.rate_limit == null ? 0 : 1

  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = local.proxies
    }
    rules {
      default {
        local {
          dynamic "http" {
            for_each = length(setintersection(local.protocols, ["http", "http2", "grpc"])) > 0 ? [var.traffic.rate_limit] : []

            content {
              request_rate {
                num      = http.value.requests
                interval = http.value.interval
              }
            }
          }
          dynamic "tcp" {
            for_each = contains(local.protocols, "tcp") ? [var.traffic.rate_limit] : []

            content {
              connection_rate {
                num      = tcp.value.requests
                interval = tcp.value.interval
              }
            }
          }
        }
      }
    }
  }
}
