locals {
  route    = "${var.service}-canary"
  backends = { for version in ["stable", "canary"] : version => "${var.service}-${version}" }
}

# Each version is a MeshService, so that it can be a backend of the route.
resource "kuma_mesh_service" "version" {
  for_each = local.backends

  mesh   = var.mesh
  name   = each.value
  labels = merge(var.labels, { "kuma.io/display-name" = each.value })

  spec {
    selector {
      dataplane_labels {
        match_labels = merge({ "kuma.io/workload" = var.service }, var.versions[each.key])
      }
    }
    ports {
      name         = var.port.name
      port         = var.port.port
      target_port  = coalesce(var.port.target_port, var.port.port)
      app_protocol = var.port.protocol
    }
  }
}

resource "kuma_mesh_http_route" "this" {
  mesh   = var.mesh
  name   = local.route
  labels = merge(var.labels, { "kuma.io/display-name" = local.route })

  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = var.service }
      }

      dynamic "rules" {
        for_each = var.header[*]

        content {
          # Rules are sorted by path, then by header: without the path, this rule would
          # come after the split.
          matches {
            path {
              type  = "PathPrefix"
              value = "/"
            }
            headers {
              type  = "Exact"
              name  = rules.value.name
              value = rules.value.value
            }
          }
          default {
            backend_refs {
              kind   = "MeshService"
              labels = { "kuma.io/display-name" = kuma_mesh_service.version["canary"].name }
              port   = var.port.port
            }
          }
        }
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = "/"
          }
        }
        default {
          backend_refs {
            kind   = "MeshService"
            labels = { "kuma.io/display-name" = kuma_mesh_service.version["stable"].name }
            port   = var.port.port
            weight = 100 - var.weight
          }
          backend_refs {
            kind   = "MeshService"
            labels = { "kuma.io/display-name" = kuma_mesh_service.version["canary"].name }
            port   = var.port.port
            weight = var.weight
          }
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "this" {
  count = var.timeouts == null ? 0 : 1

  mesh   = var.mesh
  name   = local.route
  labels = var.labels

  spec {
    to {
      target_ref {
        kind   = "MeshHTTPRoute"
        labels = { "kuma.io/display-name" = kuma_mesh_http_route.this.name }
      }
      default {
        http {
          request_timeout     = var.timeouts.request
          stream_idle_timeout = var.timeouts.stream_idle
        }
      }
    }
  }
}
