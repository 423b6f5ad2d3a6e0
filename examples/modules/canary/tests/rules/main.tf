# The split of the requests of a client, and the findings in the mesh.

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

variable "route" {
  type = string
}

data "kuma_effective_rules" "storefront" {
  mesh    = "shop"
  planned = var.resources
  proxy = {
    name   = "storefront-1"
    labels = { "kuma.io/workload" = "storefront" }
    networking = {
      address = "192.0.2.9"
      inbound = [{ port = 8080, name = "http", protocol = "http" }]
    }
  }

  destination {
    kind  = "MeshService"
    name  = "checkout"
    route = var.route
  }
}

data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = var.resources
}

output "rules" {
  value = data.kuma_effective_rules.storefront.destination_conf["MeshHTTPRoute"].conf.rules
}

output "timeouts" {
  value = try(data.kuma_effective_rules.storefront.destination_conf["MeshTimeout"].conf.http, null)
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
