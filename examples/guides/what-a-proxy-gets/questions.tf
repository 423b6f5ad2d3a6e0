locals {
  # All that the rules depend on. A local value, so that they are computed during the plan.
  planned = concat(
    [kuma_mesh.shop, kuma_mesh_service.backend],
    [kuma_mesh_http_route.route_to_backend, kuma_mesh_http_route.rest_to_backend],
    [kuma_mesh_timeout.service, kuma_mesh_timeout.service_override],
    [kuma_mesh_timeout.route, kuma_mesh_timeout.route_override],
    values(kuma_dataplane.proxy),
  )
}

data "kuma_effective_rules" "frontend" {
  mesh      = "shop"
  dataplane = "frontend-1"
  planned   = local.planned
  types     = ["MeshTimeout"]
  include   = ["explain"]

  destination {
    name  = "backend"
    route = "route-to-backend" # without it, the settings of the service
  }
}

locals {
  frontend = data.kuma_effective_rules.frontend
  requests = local.frontend.destination_conf["MeshTimeout"].conf
  # Unlike explanation, explain contains all destinations.
  on_route = [for e in local.frontend.explain : e if strcontains(e.kri, "route-to-backend")]
}

# What does the proxy get?
output "settings" {
  value = local.frontend.explanation
}

# What applies to these requests?
output "request_timeout" {
  value = local.requests.http.requestTimeout
}

# Why?
output "why" {
  value = {
    for e in local.on_route : e.path =>
    "${e.set_by.name}, which overrides ${join(", ", e.overridden[*].set_by.name)}"
    if length(e.overridden) > 0
  }
}

# Did it change?
output "digest" {
  value = local.frontend.digest
}

check "slow_endpoint" {
  assert {
    condition     = local.requests.http.requestTimeout == "10s"
    error_message = local.frontend.explanation
  }
  assert {
    condition     = length(local.frontend.warnings) == 0
    error_message = join("\n", local.frontend.warnings)
  }
}

variable "agreed_digest" {
  description = "Digest of the settings that were reviewed last; empty for none."
  type        = string
  default     = ""
}

check "unchanged" {
  assert {
    condition     = var.agreed_digest == "" || var.agreed_digest == local.frontend.digest
    error_message = "The timeouts of frontend-1 have changed, to ${local.frontend.digest}."
  }
}
