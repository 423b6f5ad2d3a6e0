locals {
  collector = { "kuma.io/display-name" = "collector" }

  # One policy has all backends of a direction, because a list of backends replaces that of
  # a weaker policy.
  log_backends = {
    for direction in ["outbound", "inbound"] : direction => {
      collector = try(var.telemetry.access_log[direction], false) ? [true] : []
      file      = try(var.access_log_file[direction], false) ? [var.access_log_file.path] : []
    }
  }
  metrics_to_collector = try(var.telemetry.metrics.enabled, false) ? [var.telemetry.metrics] : []
}

resource "kuma_mesh_open_telemetry_backend" "this" {
  count = var.telemetry == null ? 0 : 1

  mesh   = kuma_mesh.this.name
  name   = local.collector["kuma.io/display-name"]
  labels = merge(var.labels, local.collector)

  spec {
    protocol = var.telemetry.protocol
    endpoint {
      address = var.telemetry.address
      port    = var.telemetry.port
    }
  }
}

resource "kuma_mesh_access_log" "outbound" {
  count = length(concat(values(local.log_backends.outbound)...)) > 0 ? 1 : 0

  mesh   = kuma_mesh.this.name
  name   = "access-log-outbound"
  labels = var.labels

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        dynamic "backends" {
          for_each = local.log_backends.outbound.collector

          content {
            type = "OpenTelemetry"
            open_telemetry {
              backend_ref {
                kind   = "MeshOpenTelemetryBackend"
                labels = local.collector
              }
            }
          }
        }
        dynamic "backends" {
          for_each = local.log_backends.outbound.file

          content {
            type = "File"
            file {
              path = backends.value
            }
          }
        }
      }
    }
  }

  depends_on = [kuma_mesh_open_telemetry_backend.this]
}

resource "kuma_mesh_access_log" "inbound" {
  count = length(concat(values(local.log_backends.inbound)...)) > 0 ? 1 : 0

  mesh   = kuma_mesh.this.name
  name   = "access-log-inbound"
  labels = var.labels

  spec {
    rules {
      default {
        dynamic "backends" {
          for_each = local.log_backends.inbound.collector

          content {
            type = "OpenTelemetry"
            open_telemetry {
              backend_ref {
                kind   = "MeshOpenTelemetryBackend"
                labels = local.collector
              }
            }
          }
        }
        dynamic "backends" {
          for_each = local.log_backends.inbound.file

          content {
            type = "File"
            file {
              path = backends.value
            }
          }
        }
      }
    }
  }

  depends_on = [kuma_mesh_open_telemetry_backend.this]
}

resource "kuma_mesh_metric" "this" {
  count = length(local.metrics_to_collector) > 0 || var.prometheus != null ? 1 : 0

  mesh   = kuma_mesh.this.name
  name   = "metrics"
  labels = var.labels

  spec {
    default {
      dynamic "backends" {
        for_each = local.metrics_to_collector

        content {
          type = "OpenTelemetry"
          open_telemetry {
            refresh_interval = backends.value.refresh_interval
            backend_ref {
              kind   = "MeshOpenTelemetryBackend"
              labels = local.collector
            }
          }
        }
      }
      dynamic "backends" {
        for_each = var.prometheus[*]

        content {
          type = "Prometheus"
          prometheus {
            port      = backends.value.port
            path      = backends.value.path
            client_id = backends.value.client_id
          }
        }
      }
    }
  }

  depends_on = [kuma_mesh_open_telemetry_backend.this]
}

resource "kuma_mesh_trace" "this" {
  count = try(var.telemetry.traces.enabled, false) ? 1 : 0

  mesh   = kuma_mesh.this.name
  name   = "traces"
  labels = var.labels

  spec {
    default {
      backends {
        type = "OpenTelemetry"
        open_telemetry {
          backend_ref {
            kind   = "MeshOpenTelemetryBackend"
            labels = local.collector
          }
        }
      }
      sampling {
        overall = var.telemetry.traces.sampling
      }
    }
  }

  depends_on = [kuma_mesh_open_telemetry_backend.this]
}
