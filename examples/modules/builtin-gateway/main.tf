resource "kuma_mesh_gateway" "this" {
  mesh   = var.mesh
  name   = var.name
  labels = var.labels

  selectors {
    match = { "kuma.io/service" = var.name }
  }
  conf {
    dynamic "listeners" {
      for_each = var.listeners

      content {
        port     = listeners.value.port
        protocol = listeners.value.certificate == null ? "HTTP" : "HTTPS"
        hostname = listeners.value.hostname

        dynamic "tls" {
          for_each = listeners.value.certificate[*]

          content {
            mode = "TERMINATE"
            certificates {
              secret = tls.value
            }
          }
        }
        dynamic "resources" {
          for_each = listeners.value.connections[*]

          content {
            connection_limit = resources.value
          }
        }
      }
    }
  }
}

resource "kuma_dataplane" "this" {
  for_each = var.instances

  mesh   = var.mesh
  name   = each.key
  labels = merge(var.labels, { "kuma.io/workload" = var.name })

  networking {
    address = each.value.address
    gateway {
      type = "BUILTIN"
      tags = { "kuma.io/service" = var.name }
    }
  }
}

resource "kuma_mesh_http_route" "this" {
  for_each = var.routes

  mesh   = var.mesh
  name   = "${var.name}-${each.key}"
  labels = merge(var.labels, { "kuma.io/display-name" = "${var.name}-${each.key}" })

  spec {
    target_ref {
      kind = "MeshGateway"
      name = kuma_mesh_gateway.this.name
    }
    to {
      hostnames = each.value.hostnames

      target_ref {
        kind = "Mesh"
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
            labels = { "kuma.io/display-name" = each.value.service }
            port   = each.value.port
          }
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
      kind = "MeshGateway"
      name = kuma_mesh_gateway.this.name
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
