output "name" {
  description = "Name of the MeshMultiZoneService, known during the plan. Resources that use it are created after the MeshMultiZoneService."
  value       = kuma_mesh_multi_zone_service.this.name
}

output "kri" {
  description = "Identifier of the MeshMultiZoneService."
  value       = kuma_mesh_multi_zone_service.this.kri
}

output "hostname" {
  description = "Host name of the service behind a transparent proxy, if the control plane has the HostnameGenerator that it creates when it starts for the first time."
  value       = "${var.name}.mzsvc.mesh.local"
}

output "resources" {
  description = "All resources of the module, for `planned` of `kuma_effective_rules`, `kuma_policy_impact` and `kuma_mesh_lint`."
  value       = concat([kuma_mesh_multi_zone_service.this], kuma_mesh_load_balancing_strategy.this)
}
