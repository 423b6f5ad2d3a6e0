output "name" {
  description = "Name of the MeshExternalService, known during the plan. Resources that use it are created after the MeshExternalService."
  value       = kuma_mesh_external_service.this.name
}

output "kri" {
  description = "Identifier of the MeshExternalService."
  value       = kuma_mesh_external_service.this.kri
}

output "hostname" {
  description = "Host name of the service for applications behind a transparent proxy, which a HostnameGenerator of the control plane gives it."
  value       = "${var.name}.extsvc.mesh.local"
}

output "sni" {
  description = "Server name that clients send to the zone egress, for additional permissions."
  value       = provider::kuma::sni(kuma_mesh_external_service.this)
}

output "resources" {
  description = "All resources of the module, for `planned` of `kuma_effective_rules`, `kuma_policy_impact` and `kuma_mesh_lint`."
  value       = concat([kuma_mesh_external_service.this], kuma_mesh_traffic_permission.callers, values(kuma_mesh_passthrough.this))
}
