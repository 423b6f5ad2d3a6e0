# A token for a mesh that the same configuration creates. A secret stores the token, so
# that the machine of the proxy can read it.

resource "kuma_mesh" "shop" {
  name = "shop"

  mesh_services {
    mode = "Exclusive"
  }
}

# The name of a mesh is known before the mesh exists. The output of this resource
# is not, so the token is issued after the mesh is created.
resource "terraform_data" "shop" {
  input = kuma_mesh.shop.name
}

ephemeral "kuma_dataplane_token" "storefront" {
  mesh      = terraform_data.shop.output
  name      = "storefront-1"
  valid_for = "24h"
}

resource "kuma_secret" "storefront" {
  mesh            = kuma_mesh.shop.name
  name            = "storefront-1-token"
  data_wo         = ephemeral.kuma_dataplane_token.storefront.token
  data_wo_version = 1
}
