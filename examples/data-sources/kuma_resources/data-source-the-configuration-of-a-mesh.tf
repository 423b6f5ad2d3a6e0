# The configuration of a whole mesh, to save to a file:
#
#     terraform apply
#     terraform output -raw shop > shop.tf
#     terraform plan
#
# The plan imports everything and changes nothing.
data "kuma_resources" "shop" {
  mesh      = "shop"
  unmanaged = true
  include   = ["configuration"]
}

output "shop" {
  value = data.kuma_resources.shop.configuration
}
