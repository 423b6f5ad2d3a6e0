locals {
  id = provider::kuma::parse_kri("kri_msvc_shop_zone-1__checkout_http")
}

output "service" {
  value = "${local.id.kind} ${local.id.name} of mesh ${local.id.mesh}, port ${local.id.section}"
}

# The service as a whole.
output "whole" {
  value = provider::kuma::kri(merge(local.id, { section = null }))
}
