output "name" {
  description = "Name of the mesh, known during the plan. Resources that use it are created after the mesh."
  value       = kuma_mesh.this.name
}

output "trust_domain" {
  description = "Trust domain of the SPIFFE IDs, for permissions. Null without identities."
  value       = var.identity == null ? null : local.trust_domain
}

output "resources" {
  description = "All resources of the module, for `planned` of `kuma_effective_rules`, `kuma_policy_impact` and `kuma_mesh_lint`."
  value = concat(
    [kuma_mesh.this],
    kuma_mesh_identity.this,
    values(kuma_mesh_trust.this),
    kuma_mesh_tls.this,
    kuma_mesh_traffic_permission.all,
    kuma_mesh_passthrough.this,
    kuma_mesh_timeout.outbound,
    kuma_mesh_timeout.inbound,
    kuma_mesh_retry.this,
    kuma_mesh_circuit_breaker.this,
    kuma_mesh_open_telemetry_backend.this,
    kuma_mesh_access_log.outbound,
    kuma_mesh_access_log.inbound,
    kuma_mesh_metric.this,
    kuma_mesh_trace.this,
  )
}
