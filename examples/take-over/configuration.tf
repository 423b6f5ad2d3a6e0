data "kuma_resources" "shop" {
  mesh      = "shop"
  global    = true
  unmanaged = true
  include   = ["configuration"]
}

output "configuration" {
  description = "Resource and import blocks for the resources of the mesh."
  value       = data.kuma_resources.shop.configuration
}
