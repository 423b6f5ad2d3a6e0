locals {
  # A local value, so that Terraform reads the data source during the plan. A data
  # source that refers to a resource directly is read only after it has been applied.
  planned = [kuma_mesh.shop, kuma_mesh_service.checkout, kuma_mesh_timeout.checkout]
}

data "kuma_effective_rules" "storefront" {
  mesh    = "shop"
  planned = local.planned

  proxy = {
    name   = "storefront-1"
    labels = { "kuma.io/workload" = "storefront" }
    networking = {
      address = "10.0.0.1"
      inbound = [{ port = 8080, protocol = "http" }]
    }
  }
}

output "storefront" {
  value = data.kuma_effective_rules.storefront.explanation
}
