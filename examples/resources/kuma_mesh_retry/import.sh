# The ID is MESH/NAME.
terraform import kuma_mesh_retry.example shop/checkout
