# A policy has either `to` or `rules`, so two are needed for timeouts.

resource "kuma_mesh_timeout" "outbound" {
  count = var.outbound_timeouts == null ? 0 : 1

  mesh   = kuma_mesh.this.name
  name   = "timeout-outbound"
  labels = var.labels

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        connection_timeout = var.outbound_timeouts.connection
        idle_timeout       = var.outbound_timeouts.idle
        http {
          request_timeout     = var.outbound_timeouts.request
          stream_idle_timeout = var.outbound_timeouts.stream_idle
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "inbound" {
  count = var.inbound_timeouts == null ? 0 : 1

  mesh   = kuma_mesh.this.name
  name   = "timeout-inbound"
  labels = var.labels

  spec {
    rules {
      default {
        connection_timeout = var.inbound_timeouts.connection
        idle_timeout       = var.inbound_timeouts.idle
        http {
          request_timeout     = var.inbound_timeouts.request
          stream_idle_timeout = var.inbound_timeouts.stream_idle
          max_stream_duration = var.inbound_timeouts.max_stream
        }
      }
    }
  }
}

resource "kuma_mesh_retry" "this" {
  count = var.retries == null ? 0 : 1

  mesh   = kuma_mesh.this.name
  name   = "retry"
  labels = var.labels

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        tcp {
          max_connect_attempt = var.retries.tcp_attempts
        }
        http {
          num_retries     = var.retries.num_retries
          per_try_timeout = var.retries.per_try_timeout
          back_off {
            base_interval = var.retries.base_interval
            max_interval  = var.retries.max_interval
          }
        }
        grpc {
          num_retries     = var.retries.num_retries
          per_try_timeout = var.retries.per_try_timeout
          back_off {
            base_interval = var.retries.base_interval
            max_interval  = var.retries.max_interval
          }
        }
      }
    }
  }
}

resource "kuma_mesh_circuit_breaker" "this" {
  count = var.connection_limits == null ? 0 : 1

  mesh   = kuma_mesh.this.name
  name   = "connection-limits"
  labels = var.labels

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        connection_limits {
          max_connections      = var.connection_limits.max_connections
          max_pending_requests = var.connection_limits.max_pending_requests
          max_requests         = var.connection_limits.max_requests
          max_retries          = var.connection_limits.max_retries
        }
      }
    }
  }
}
