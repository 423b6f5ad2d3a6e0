# The ID is MESH/NAME.
terraform import kuma_mesh_timeout.example shop/checkout
