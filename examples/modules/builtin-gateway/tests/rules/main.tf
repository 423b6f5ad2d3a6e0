# What the gateway does with requests, and the findings in the mesh.

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
  mesh      = "shop"
  dataplane = "edge-1"
  planned   = var.resources
  include   = ["json"]
}

data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = var.resources
  ignore  = ["no-retries"] # which the module leaves to the mesh
}

output "timeouts" {
  value = data.kuma_effective_rules.edge.conf["MeshTimeout"]
}

output "explanation" {
  value = data.kuma_effective_rules.edge.explanation
}

output "findings" {
  value = data.kuma_mesh_lint.shop.summary
}

output "codes" {
  value = data.kuma_mesh_lint.shop.findings[*].code
}
