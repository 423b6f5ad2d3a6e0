# The settings for requests of the storefront, and the findings in the mesh.

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

data "kuma_effective_rules" "storefront" {
  mesh      = "shop"
  dataplane = "storefront-1"
  planned   = var.resources

  destination {
    kind = "MeshMultiZoneService"
    name = "checkout"
  }
}

data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = var.resources
  ignore  = ["no-retries"] # which the module leaves to the mesh
}

output "locality" {
  value = data.kuma_effective_rules.storefront.destination_conf["MeshLoadBalancingStrategy"].conf.localityAwareness
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
