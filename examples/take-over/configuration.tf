data "kuma_resources" "shop" {
  mesh      = "shop"
  global    = true
  unmanaged = true
  include   = ["configuration"]
}

output "configuration" {
  description = "Resource blocks for the mesh, each with the import block that takes it over."
  value       = data.kuma_resources.shop.configuration
}
