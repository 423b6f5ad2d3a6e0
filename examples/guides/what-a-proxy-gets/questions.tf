locals {
  # A local value, so that the rules are computed during the plan.
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
    route = "route-to-backend" # without it, requests on no route
  }
}

# What does the proxy get?
output "settings" {
  value = data.kuma_effective_rules.frontend.explanation
}

# What applies to these requests?
output "request_timeout" {
  value = data.kuma_effective_rules.frontend.destination_conf["MeshTimeout"].conf.http.requestTimeout
}

# Why?
output "why" {
  value = {
    for e in data.kuma_effective_rules.frontend.explain :
    e.path => "${e.value} from ${e.set_by.name}, overrides ${join(", ", e.overridden[*].set_by.name)}" if length(e.overridden) > 0
    && strcontains(e.kri, "route-to-backend")
  }
}

# Did it change?
output "digest" {
  value = data.kuma_effective_rules.frontend.digest
}

check "slow_endpoint" {
  assert {
    condition     = data.kuma_effective_rules.frontend.destination_conf["MeshTimeout"].conf.http.requestTimeout == "10s"
    error_message = data.kuma_effective_rules.frontend.explanation
  }
  assert {
    condition     = length(data.kuma_effective_rules.frontend.warnings) == 0
    error_message = join("\n", data.kuma_effective_rules.frontend.warnings)
  }
}

variable "agreed_digest" {
  description = "Digest of the settings that were reviewed last; empty for none."
  type        = string
  default     = ""
}

check "unchanged" {
  assert {
    condition     = contains(["", data.kuma_effective_rules.frontend.digest], var.agreed_digest)
    error_message = data.kuma_effective_rules.frontend.explanation
  }
}
