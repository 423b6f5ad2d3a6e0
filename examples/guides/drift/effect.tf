variable "agreed" {
  description = "Digests of the effective timeouts and retries, by proxy."
  type        = map(string)
}

locals {
  # A local value, so that the data source is read during the plan.
  planned = [
    kuma_mesh.shop, kuma_mesh_service.backend, kuma_dataplane.frontend,
    kuma_mesh_timeout.service, kuma_mesh_timeout.service_override,
  ]
}

data "kuma_effective_rules" "proxy" {
  for_each  = var.agreed
  mesh      = "shop"
  dataplane = each.key
  planned   = local.planned
  types     = ["MeshTimeout", "MeshRetry"]
}

output "digests" {
  value = { for name, rules in data.kuma_effective_rules.proxy : name => rules.digest }

  # Fails the plan, before anything is written.
  precondition {
    condition = alltrue([
      for name, rules in data.kuma_effective_rules.proxy : rules.digest == var.agreed[name]
    ])
    error_message = join("\n\n", [
      for name, rules in data.kuma_effective_rules.proxy : <<-EOT
        ${name} does not have the agreed rules. Its digest is ${rules.digest}, with these settings:
        ${rules.explanation}
      EOT
      if rules.digest != var.agreed[name]
    ])
  }
}
