# The name of a mesh is known before the mesh exists. This output is not, so that the
# token is issued after the mesh was created.
resource "terraform_data" "shop" {
  input = kuma_mesh.shop.name
}

ephemeral "kuma_dataplane_token" "checkout" {
  mesh      = terraform_data.shop.output
  workload  = "checkout"
  valid_for = "720h"
}

# The machine of the proxy reads its token from here. Raise the version to replace it.
resource "kuma_secret" "checkout_token" {
  mesh            = kuma_mesh.shop.name
  name            = "checkout-token"
  data_wo         = ephemeral.kuma_dataplane_token.checkout.token
  data_wo_version = 1
}
