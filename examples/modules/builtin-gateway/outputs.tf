output "name" {
  description = "Name of the gateway and of its workload, for `callers` of services. It is known during the plan and does not depend on the resources of the gateway."
  value       = var.name
}

output "urls" {
  description = "URLs of the listeners that serve one host name."
  value = [
    for l in var.listeners : "${l.certificate == null ? "http" : "https"}://${l.hostname}:${l.port}" if l.hostname != null && !strcontains(coalesce(l.hostname, "*"), "*")
  ]
}

output "resources" {
  description = "All resources of the module, for `planned` of `kuma_effective_rules`, `kuma_policy_impact` and `kuma_mesh_lint`."
  # The gateway contains names of Secrets, and not their values.
  value = concat([jsondecode(nonsensitive(jsonencode(kuma_mesh_gateway.this)))], values(kuma_dataplane.this), values(kuma_mesh_http_route.this), kuma_mesh_timeout.this)
}
