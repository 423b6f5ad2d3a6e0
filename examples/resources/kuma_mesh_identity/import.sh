# The ID is MESH/NAME.
terraform import kuma_mesh_identity.example shop/shop
