locals {
  proxies = { "kuma.io/workload" = var.name }

  # Kuma 3.0 responds with 404 to a request that no route matches, so that a service whose
  # routes do not match all requests has one for the rest.
  rest = {
    for service, s in var.services : service => {
      rest = { path_prefix = "/", backend = null, backend_port = null, replace_prefix = null, timeout = null }
    }
    if length(s.routes) > 0 && !contains(values(s.routes)[*].path_prefix, "/")
  }

  # A resource for each route, so that each route can have its own timeout.
  routes = merge([
    for service, s in var.services : {
      for name, route in merge(try(local.rest[service], {}), s.routes) : "${service}-${name}" => merge(route, {
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

    # Policies apply only to proxies with an inbound. Nothing can call this one.
    inbound {
      name     = "unused"
      address  = "127.0.0.1"
      port     = var.inbound_port
      protocol = "tcp"
    }
    dynamic "outbound" {
      for_each = var.services

      content {
        port = outbound.value.port
        backend_ref {
          kind   = "MeshService"
          labels = { "kuma.io/display-name" = outbound.key }
          port   = outbound.value.service_port
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
