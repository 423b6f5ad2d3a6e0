locals {
  # A local value, because Terraform would read a data source that refers to these
  # resources directly only after the apply. List all that analyses depend on.
  planned = [
    kuma_mesh.shop,
    kuma_mesh_identity.shop,
    kuma_mesh_service.checkout,
    kuma_dataplane.checkout,
    kuma_dataplane.storefront,
    kuma_mesh_traffic_permission.checkout,
  ]
}

data "kuma_request" "checkout" {
  mesh      = "shop"
  planned   = local.planned
  dataplane = "storefront-1"
  service   = "checkout"
}

check "storefront_calls_checkout" {
  assert {
    condition     = data.kuma_request.checkout.verdict == "allowed"
    error_message = data.kuma_request.checkout.reason
  }
}

output "request" {
  value = data.kuma_request.checkout.explanation
}
