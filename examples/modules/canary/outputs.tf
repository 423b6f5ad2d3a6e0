output "route" {
  description = "Name of the MeshHTTPRoute."
  value       = kuma_mesh_http_route.this.name
}

output "backends" {
  description = "Names of the MeshServices of the two versions, `stable` and `canary`."
  value       = { for version, service in kuma_mesh_service.version : version => service.name }
}

output "resources" {
  description = "All resources of the module, for `planned` of `kuma_effective_rules`, `kuma_policy_impact` and `kuma_mesh_lint`."
  value = concat(
    values(kuma_mesh_service.version),
    [kuma_mesh_http_route.this],
    kuma_mesh_timeout.this,
  )
}
