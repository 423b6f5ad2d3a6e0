# The settings of a client of the service, and the findings in the mesh.

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

locals {
  others  = provider::kuma::decode_documents(file("${path.module}/others.yaml"))
  planned = concat(var.resources, local.others)
}

data "kuma_effective_rules" "storefront" {
  mesh      = "shop"
  dataplane = "storefront-1"
  planned   = local.planned

  destination {
    kind = "MeshService"
    name = "checkout"
  }
}

data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = local.planned
}

output "outbound" {
  value = { for type, rule in data.kuma_effective_rules.storefront.destination_conf : type => rule.conf }
}

output "explanation" {
  value = data.kuma_effective_rules.storefront.explanation
}

output "findings" {
  value = data.kuma_mesh_lint.shop.summary
}

output "codes" {
  value = data.kuma_mesh_lint.shop.findings[*].code
}
