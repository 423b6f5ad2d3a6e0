# The timeouts of each proxy, before anything is applied.

locals {
  # A local value, so that the data sources are read during the plan. A data source that
  # refers to a resource directly is read only after the resource has been applied.
  planned = concat(
    [kuma_mesh.shop, kuma_mesh_service.backend],
    [kuma_mesh_http_route.route_to_backend, kuma_mesh_http_route.rest_to_backend],
    [kuma_mesh_timeout.service, kuma_mesh_timeout.service_override],
    [kuma_mesh_timeout.route, kuma_mesh_timeout.route_override],
    values(kuma_dataplane.proxy),
  )
}

data "kuma_effective_rules" "proxy" {
  for_each  = toset(["frontend-1", "batch-1"])
  mesh      = "shop"
  dataplane = each.key
  planned   = local.planned
  include   = ["rules"]
}

locals {
  # For each proxy, the timeouts for the service and for the route, and the policies that
  # set them, lowest precedence first.
  timeouts = {
    for name, proxy in data.kuma_effective_rules.proxy : name => {
      for rule in one([for r in proxy.rules : r if r.type == "MeshTimeout"]).to_resource_rules : rule.resource_meta.name => {
        conf   = jsondecode(rule.conf[0])
        origin = [for o in rule.origin : o.resource_meta.name]
      }
      if contains(["backend", "route-to-backend"], rule.resource_meta.name)
    }
  }
}

check "frontend_is_impatient" {
  assert {
    condition     = data.kuma_effective_rules.proxy["frontend-1"].conf["MeshTimeout"][kuma_mesh_service.backend.kri].http.requestTimeout == "1s"
    error_message = "The frontend must give up on the backend after 1s."
  }
}

check "batch_is_patient_on_the_slow_route" {
  assert {
    condition     = data.kuma_effective_rules.proxy["batch-1"].conf["MeshTimeout"][kuma_mesh_http_route.route_to_backend.kri].http.requestTimeout == "30s"
    error_message = "Batch jobs must wait 30s for the slow endpoint."
  }
}

output "timeouts" {
  description = "Effective timeouts of each proxy for the service and for the route."
  value       = local.timeouts
}

output "why" {
  description = "The policy that sets each timeout of the frontend."
  value       = data.kuma_effective_rules.proxy["frontend-1"].explanation
}

output "table" {
  description = "Effective timeouts as a table."
  value = join("\n", concat(
    [format("%-12s %-18s %-10s %-10s %-10s %s", "PROXY", "DESTINATION", "CONNECT", "REQUEST", "IDLE", "FROM (lowest precedence first)")],
    flatten([for proxy, destinations in local.timeouts : [for destination, t in destinations :
      format("%-12s %-18s %-10s %-10s %-10s %s", proxy, destination,
        try(t.conf.connectionTimeout, "-"), try(t.conf.http.requestTimeout, "-"), try(t.conf.http.streamIdleTimeout, "-"),
      join(" < ", t.origin))
    ]]),
  ))
}
