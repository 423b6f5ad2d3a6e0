locals {
  proxies = { "kuma.io/workload" = var.name }

  # A resource for each route, so that each route can have its own timeout.
  routes = merge([
    for service, s in var.services : {
      for name, route in s.routes : "${service}-${name}" => merge(route, {
        service      = service
        backend      = coalesce(route.backend, service)
        backend_port = coalesce(route.backend_port, s.service_port)
      })
    }
  ]...)
}

resource "kuma_dataplane" "this" {
  for_each = var.instances

  mesh   = var.mesh
  name   = each.key
  labels = merge(var.labels, each.value.labels, local.proxies)

  networking {
    address = each.value.address

    gateway {
      type = "DELEGATED"
    }
    dynamic "outbound" {
      for_each = var.services

      content {
        port = outbound.value.port
        backend_ref {
          kind = "MeshService"
          name = outbound.key
          port = outbound.value.service_port
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
}
