# Each proxy authenticates with a token that is valid for its workload.

# The name of the mesh is known before the mesh exists. The output of this resource is
# not, so that the tokens are issued after the mesh has been created.
resource "terraform_data" "mesh" {
  input = module.mesh.name
}

ephemeral "kuma_dataplane_token" "workload" {
  for_each = local.workloads

  mesh      = terraform_data.mesh.output
  workload  = each.key
  valid_for = "720h"
}

# A deployment fetches the token of its workload from here, with a user token that may
# read secrets. Raise the version to replace the tokens.
resource "kuma_secret" "token" {
  for_each = local.workloads

  mesh            = module.mesh.name
  name            = "${each.key}-token"
  data_wo         = ephemeral.kuma_dataplane_token.workload[each.key].token
  data_wo_version = 1
}

locals {
  workloads = toset([
    module.storefront.name, module.checkout.name, module.stock.name, module.edge.name,
    "egress",
  ])
}
