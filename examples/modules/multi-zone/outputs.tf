output "name" {
  description = "Name of the MeshMultiZoneService, known during the plan. Resources that use it are created after the MeshMultiZoneService."
  value       = kuma_mesh_multi_zone_service.this.name
}

output "kri" {
  description = "Identifier of the MeshMultiZoneService."
  value       = kuma_mesh_multi_zone_service.this.kri
}

output "hostname" {
  description = "Host name of the service for applications behind a transparent proxy, which a HostnameGenerator of the global control plane gives it. A zone control plane without a global one has no such generator."
  value       = "${var.name}.mzsvc.mesh.local"
}

output "resources" {
  description = "All resources of the module, for `planned` of `kuma_effective_rules`, `kuma_policy_impact` and `kuma_mesh_lint`."
  value       = concat([kuma_mesh_multi_zone_service.this], kuma_mesh_load_balancing_strategy.this)
}
