resource "kuma_mesh_http_route" "this" {
  for_each = local.routes

  mesh   = var.mesh
  name   = "${var.name}-${each.key}"
  labels = merge(var.labels, { "kuma.io/display-name" = "${var.name}-${each.key}" })

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = local.proxies
    }
    to {
      target_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = each.value.service }
      }
      rules {
        matches {
          path {
            type  = "PathPrefix"
            value = each.value.path_prefix
          }
        }
        default {
          dynamic "filters" {
            for_each = each.value.replace_prefix[*]

            content {
              type = "URLRewrite"
              url_rewrite {
                path {
                  # Proxies replace the slash after the prefix too.
                  type                 = "ReplacePrefixMatch"
                  replace_prefix_match = "${trimsuffix(filters.value, "/")}/"
                }
              }
            }
          }
          backend_refs {
            kind   = "MeshService"
            labels = { "kuma.io/display-name" = each.value.backend }
            port   = each.value.backend_port
          }
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "route" {
  for_each = { for key, route in local.routes : key => route if route.timeout != null }

  mesh   = var.mesh
  name   = "${var.name}-${each.key}"
  labels = var.labels

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = local.proxies
    }
    to {
      target_ref {
        kind   = "MeshHTTPRoute"
        labels = { "kuma.io/display-name" = kuma_mesh_http_route.this[each.key].name }
      }
      default {
        http {
          request_timeout = each.value.timeout
        }
      }
    }
  }
}

resource "kuma_mesh_timeout" "this" {
  count = var.timeouts == null ? 0 : 1

  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = local.proxies
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout = var.timeouts.idle
        http {
          request_timeout     = var.timeouts.request
          stream_idle_timeout = var.timeouts.stream_idle
        }
      }
    }
  }
}

resource "kuma_mesh_circuit_breaker" "this" {
  count = var.limits == null ? 0 : 1

  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  spec {
    target_ref {
      kind   = "Dataplane"
      labels = local.proxies
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        connection_limits {
          max_connections      = var.limits.max_connections
          max_pending_requests = var.limits.max_pending_requests
          max_requests         = var.limits.max_requests
          max_retries          = var.limits.max_retries
        }
      }
    }
  }
}
