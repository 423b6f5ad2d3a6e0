locals {
  collector = { "kuma.io/display-name" = "collector" }
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
  count = try(var.telemetry.access_log.outbound, false) ? 1 : 0

  mesh   = kuma_mesh.this.name
  name   = "access-log-outbound"
  labels = var.labels

  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
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
      }
    }
  }

  depends_on = [kuma_mesh_open_telemetry_backend.this]
}

resource "kuma_mesh_access_log" "inbound" {
  count = try(var.telemetry.access_log.inbound, false) ? 1 : 0

  mesh   = kuma_mesh.this.name
  name   = "access-log-inbound"
  labels = var.labels

  spec {
    rules {
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
      }
    }
  }

  depends_on = [kuma_mesh_open_telemetry_backend.this]
}

resource "kuma_mesh_metric" "this" {
  count = try(var.telemetry.metrics.enabled, false) ? 1 : 0

  mesh   = kuma_mesh.this.name
  name   = "metrics"
  labels = var.labels

  spec {
    default {
      backends {
        type = "OpenTelemetry"
        open_telemetry {
          refresh_interval = var.telemetry.metrics.refresh_interval
          backend_ref {
            kind   = "MeshOpenTelemetryBackend"
            labels = local.collector
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
