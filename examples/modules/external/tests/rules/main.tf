# The permissions of the zone egress, and the findings in the mesh.

terraform {
  required_providers {
    kuma = {
      source = "kuma-universal/kuma"
    }
  }
}

variable "resources" {
  type = any
}

data "kuma_effective_rules" "proxy" {
  for_each  = toset(["egress-1", "checkout-1"])
  mesh      = "shop"
  dataplane = each.key
  planned   = var.resources
  include   = ["json"]
}

data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = var.resources
}

locals {
  rules = { for name, proxy in data.kuma_effective_rules.proxy : name => jsondecode(proxy.json).rules }
}

output "allowed" {
  value = flatten([
    for rule in local.rules["egress-1"] : [for inbound in rule.inboundRules : inbound.rules[*].conf[0].allow] if rule.type == "MeshTrafficPermission"
  ])
}

output "passthrough" {
  value = one([for rule in local.rules["checkout-1"] : rule.proxyRule.conf if rule.type == "MeshPassthrough"])
}

output "findings" {
  value = data.kuma_mesh_lint.shop.summary
}

output "codes" {
  value = data.kuma_mesh_lint.shop.findings[*].code
}
