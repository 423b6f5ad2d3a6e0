locals {
  # The proxies of the service, and the service itself in references of policies.
  proxies = { "kuma.io/workload" = var.name }
  service = { "kuma.io/display-name" = var.name }

  hostname = var.hostname == null ? null : replace(replace(var.hostname, "/{{\\s*\\.DisplayName\\s*}}/", var.name), "/{{\\s*\\.Mesh\\s*}}/", var.mesh)
}

resource "kuma_mesh_service" "this" {
  mesh   = var.mesh
  name   = var.name
  labels = merge(var.labels, local.service)

  spec {
    selector {
      dataplane_tags = var.service_tag == null ? null : { "kuma.io/service" = var.service_tag }

      dynamic "dataplane_labels" {
        for_each = var.service_tag == null ? [true] : []

        content {
          match_labels = local.proxies
        }
      }
    }

    dynamic "ports" {
      for_each = var.ports

      content {
        name         = ports.key
        port         = ports.value.port
        target_port  = coalesce(ports.value.target_port, ports.value.port)
        app_protocol = ports.value.protocol
      }
    }
  }
}

resource "kuma_hostname_generator" "this" {
  count = var.hostname == null ? 0 : 1

  name   = "${var.mesh}-${var.name}"
  labels = var.labels

  spec {
    selector {
      mesh_service {
        match_labels = merge(local.service, { "kuma.io/mesh" = var.mesh })
      }
    }
    template = var.hostname
  }
}

resource "kuma_dataplane" "this" {
  for_each = var.instances

  mesh   = var.mesh
  name   = each.key
  labels = merge(var.labels, each.value.labels, local.proxies)

  networking {
    address = each.value.address

    dynamic "inbound" {
      for_each = var.ports

      content {
        name         = inbound.key
        port         = coalesce(inbound.value.target_port, inbound.value.port)
        service_port = inbound.value.service_port
        protocol     = var.service_tag == null ? inbound.value.protocol : null
        tags         = var.service_tag == null ? null : { "kuma.io/service" = var.service_tag, "kuma.io/protocol" = inbound.value.protocol }
      }
    }
    dynamic "outbound" {
      for_each = var.transparent_proxy ? {} : var.outbounds

      content {
        port = outbound.value.port
        backend_ref {
          kind   = outbound.value.kind
          labels = { "kuma.io/display-name" = coalesce(outbound.value.service, outbound.key) }
          port   = outbound.value.service_port
        }
      }
    }
    dynamic "transparent_proxying" {
      for_each = var.transparent_proxy ? [true] : []

      content {
        redirect_port_inbound  = 15006
        redirect_port_outbound = 15001

        reachable_backends {
          dynamic "refs" {
            for_each = var.outbounds

            content {
              kind   = refs.value.kind
              labels = { "kuma.io/display-name" = coalesce(refs.value.service, refs.key) }
              port   = refs.value.service_port
            }
          }
        }
      }
    }
    dynamic "admin" {
      for_each = each.value.admin_port[*]

      content {
        port = admin.value
      }
    }
  }

  lifecycle {
    precondition {
      condition     = var.transparent_proxy || alltrue([for o in values(var.outbounds) : o.port != null])
      error_message = "The port of each outbound is required without transparent_proxy: the application calls the service on it."
    }
  }
}

resource "kuma_mesh_traffic_permission" "callers" {
  count = length(var.callers) == 0 ? 0 : 1

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
        dynamic "allow" {
          for_each = sort(var.callers)

          content {
            spiffe_id {
              type  = "Exact"
              value = startswith(allow.value, "spiffe://") ? allow.value : "spiffe://${coalesce(var.trust_domain, "unset")}/workload/${allow.value}"
            }
          }
        }
      }
    }
  }

  lifecycle {
    precondition {
      condition     = var.trust_domain != null || alltrue([for c in var.callers : startswith(c, "spiffe://")])
      error_message = "trust_domain is required if callers contains names of workloads: pass the output of the mesh module."
    }
  }
}
