# The ID is MESH/NAME.
terraform import kuma_mesh_rate_limit.example shop/checkout
