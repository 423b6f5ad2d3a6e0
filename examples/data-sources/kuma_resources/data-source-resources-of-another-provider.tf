# The configuration of a mesh that another provider manages, with moved blocks for the resources
# in its state:
#
#     terraform state pull > old.tfstate
#     terraform apply
#     terraform output -raw moved > shop.tf
data "kuma_resources" "moved" {
  mesh       = "shop"
  unmanaged  = true
  include    = ["configuration"]
  state_file = "old.tfstate"
}

output "moved" {
  value = data.kuma_resources.moved.configuration
}
