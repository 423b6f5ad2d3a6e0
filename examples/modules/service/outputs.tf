output "name" {
  description = "Name of the MeshService and of the workload, known during the plan. Resources that use it are created after the MeshService."
  value       = kuma_mesh_service.this.name
}

output "kri" {
  description = "Identifier of the MeshService."
  value       = kuma_mesh_service.this.kri
}

output "ports" {
  description = "Port numbers of the service, by name."
  value       = { for name, p in var.ports : name => p.port }
}

output "hostname" {
  description = "Host name of the service, if `hostname` is set and contains no other fields than `.DisplayName` and `.Mesh`; null otherwise."
  value       = local.hostname == null || strcontains(coalesce(local.hostname, "{{"), "{{") ? null : local.hostname
}

output "dataplane_labels" {
  description = "Labels that a Dataplane of the service must have when `kuma-dp` registers it."
  value       = merge(var.labels, local.proxies)
}

output "dataplanes" {
  description = "Names of the Dataplanes that the module manages."
  value       = sort(keys(kuma_dataplane.this))
}

output "resources" {
  description = "All resources of the module, for `planned` of `kuma_effective_rules`, `kuma_policy_impact` and `kuma_mesh_lint`."
  value = concat(
    [kuma_mesh_service.this],
    kuma_hostname_generator.this,
    values(kuma_dataplane.this),
    kuma_mesh_traffic_permission.callers,
    kuma_mesh_timeout.this,
    kuma_mesh_retry.this,
    kuma_mesh_circuit_breaker.this,
    kuma_mesh_health_check.this,
    kuma_mesh_rate_limit.this,
  )
}
