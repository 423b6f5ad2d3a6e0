# The settings for requests of the gateway, and the findings in the mesh.

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

data "kuma_effective_rules" "edge" {
  for_each  = toset(["edge-storefront-search", "none"])
  mesh      = "shop"
  dataplane = "edge-1"
  planned   = var.resources

  destination {
    kind  = "MeshService"
    name  = "storefront"
    route = each.key == "none" ? null : each.key
  }
}

data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = var.resources
  ignore  = ["no-retries"] # which the module leaves to the mesh
}

output "service" {
  value = { for type, rule in data.kuma_effective_rules.edge["none"].destination_conf : type => rule.conf }
}

output "route" {
  value = { for type, rule in data.kuma_effective_rules.edge["edge-storefront-search"].destination_conf : type => rule.conf }
}

output "explanation" {
  value = data.kuma_effective_rules.edge["none"].explanation
}

output "findings" {
  value = data.kuma_mesh_lint.shop.summary
}

output "codes" {
  value = data.kuma_mesh_lint.shop.findings[*].code
}
