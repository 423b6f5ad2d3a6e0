output "name" {
  description = "Name of the workload of the gateway, for `callers` of services. It is known during the plan and does not depend on the resources of the gateway."
  value       = var.name
}

output "dataplane_labels" {
  description = "Labels that a Dataplane of the gateway must have when `kuma-dp` registers it."
  value       = merge(var.labels, local.proxies)
}

output "upstreams" {
  description = "Address of each service for the configuration of the gateway."
  value       = { for name, service in var.services : name => "127.0.0.1:${service.port}" }
}

output "resources" {
  description = "All resources of the module, for `planned` of `kuma_effective_rules`, `kuma_policy_impact` and `kuma_mesh_lint`."
  value = concat(
    values(kuma_dataplane.this),
    values(kuma_mesh_http_route.this),
    values(kuma_mesh_timeout.route),
    kuma_mesh_timeout.this,
    kuma_mesh_circuit_breaker.this,
  )
}
